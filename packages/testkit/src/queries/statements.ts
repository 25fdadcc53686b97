import { SHARD_KEYS, slotOf, slotOfOrder } from '@gateway/contracts'

/**
 * What a query may reach, from least to most (docs/scaling-queries.md): the slot of each document that it asks for, the documents of
 * one merchant, or all shards in bounded steps. Only an operator starts the last ones, which may be unbounded.
 */
export const QUERY_CLASSES = ['hot', 'of a merchant', 'background', 'operator'] as const
export type QueryClass = (typeof QUERY_CLASSES)[number]

/** One statement of a command on a collection: a filter, or a document to insert. It has no values, which may be personal. */
export interface Statement {
  /** `<service>.<collection>`. */
  readonly collection: string
  readonly command: 'find' | 'count' | 'aggregate' | 'insert' | 'update' | 'delete'
  /** The fields in its filter, sorted: `<field>`, or `<field> range` when it names no value but a lower or upper bound. */
  readonly names: readonly string[]
  /** Why it does not meet the conditions of a class. It meets those of every class that is not here. */
  readonly unfit: Readonly<Partial<Record<QueryClass, string>>>
}

type Doc = Readonly<Record<string, unknown>>

/** The services with a database; its name ends with the service's, in snake_case. */
const SERVICES = ['order-api', 'payment-status', 'webhook-dispatcher', 'ledger', 'auth-token', 'network-simulator']

/** The service whose database this is; `undefined` for any other name. */
export function serviceOf(databaseName: string): string | undefined {
  return SERVICES.find((service) => databaseName.endsWith(service.replaceAll('-', '_')))
}

/**
 * The statements of a command in the form in which the driver sends it (https://www.mongodb.com/docs/manual/reference/command/). None
 * for a command that asks for no documents, such as `listIndexes`.
 */
export function statementsOf(service: string, command: Doc): Statement[] {
  const [name = ''] = Object.keys(command)
  const collectionName = String(command[name])
  const collection = `${service}.${collectionName}`
  const key = shardKeyOf(service, collectionName)
  return (READERS[name]?.(command) ?? []).map(({ kind, branches, isLimited }) => ({
    collection,
    command: kind,
    names: kind === 'insert' ? [] : namesOf(branches),
    unfit: key === undefined ? {} : unfitOf(key, collection, branches, isLimited),
  }))
}

/** The fields of a collection's shard key in their order; `undefined` when it lies on one shard. */
export function shardKeyOf(service: string, collection: string): string[] | undefined {
  const keys: Readonly<Record<string, Readonly<Record<string, object>>>> = SHARD_KEYS
  const key = keys[service]?.[collection]
  return key && Object.keys(key)
}

interface Asked {
  readonly kind: Statement['command']
  /** The alternatives of the filter: each `$or` makes several. */
  readonly branches: readonly Branch[]
  /** True when it has a limit, or changes one document. */
  readonly isLimited: boolean
}

const asked = (kind: Statement['command'], filter: unknown, isLimited: boolean): Asked => ({
  kind,
  branches: branchesOf(isDoc(filter) ? filter : {}),
  isLimited,
})

const READERS: Readonly<Record<string, (command: Doc) => Asked[]>> = {
  find: ({ filter, limit }) => [asked('find', filter, isLimit(limit))],
  distinct: ({ query }) => [asked('find', query, false)],
  count: ({ query, limit }) => [asked('count', query, isLimit(limit))],
  aggregate({ pipeline }) {
    const stages = docs(pipeline)
    // The driver counts by a pipeline.
    const kind = isDoc(stages.at(-1)?.['$group']) ? 'count' : 'aggregate'
    const isLimited = stages.some(({ $limit }) => isLimit($limit))
    return [asked(kind, stages[0]?.['$match'], isLimited)]
  },
  findAndModify: ({ query, remove }) => [asked(remove === true ? 'delete' : 'update', query, true)],
  update: ({ updates }) => docs(updates).map(({ q, multi }) => asked('update', q, multi !== true)),
  delete: ({ deletes }) => docs(deletes).map(({ q, limit }) => asked('delete', q, isLimit(limit))),
  insert: ({ documents }) =>
    docs(documents).map((document) => ({ kind: 'insert', branches: branchesOf(valuesIn(document)), isLimited: true })),
}

function isLimit(limit: unknown): boolean {
  return typeof limit === 'number' && limit !== 0
}

/** The fields of a document that place it, as a filter that names them. */
function valuesIn(document: Doc): Doc {
  const fields = ['merchant_id', 'slot', ...DOCUMENT_KEYS]
  return Object.fromEntries(fields.flatMap((field) => (document[field] === undefined ? [] : [[field, { $eq: document[field] }]])))
}

/** What a filter says of one field. */
interface Condition {
  readonly values?: readonly unknown[]
  readonly lower?: unknown
  readonly upper?: unknown
}

type Branch = ReadonlyMap<string, Condition>

function branchesOf(filter: Doc): Branch[] {
  let branches: Branch[] = [new Map()]
  for (const [field, value] of Object.entries(filter)) branches = product(branches, alternativesOf(field, value))
  return branches
}

function alternativesOf(field: string, value: unknown): Branch[] {
  if (field === '$or') return docs(value).flatMap(branchesOf)
  if (field === '$and') return docs(value).map(branchesOf).reduce(product, [new Map()])
  return [new Map([[field, conditionOf(value)]])]
}

function product(some: readonly Branch[], others: readonly Branch[]): Branch[] {
  return some.flatMap((one) => others.map((other) => merged(one, other)))
}

function merged(one: Branch, other: Branch): Branch {
  const both = new Map(one)
  for (const [field, condition] of other) both.set(field, { ...both.get(field), ...condition })
  return both
}

function conditionOf(value: unknown): Condition {
  if (!isDoc(value) || !Object.keys(value).some((name) => name.startsWith('$'))) return { values: [value] }
  const { $eq, $in, $gt, $gte = $gt, $lt, $lte = $lt } = value
  const values = '$eq' in value ? [$eq] : $in
  return {
    ...(Array.isArray(values) ? { values } : {}),
    ...($gte === undefined ? {} : { lower: $gte }),
    ...($lte === undefined ? {} : { upper: $lte }),
  }
}

function namesOf(branches: readonly Branch[]): string[] {
  const names = branches.flatMap((branch) =>
    [...branch].map(([field, { values, lower, upper }]) =>
      values === undefined && (lower ?? upper) !== undefined ? `${field} range` : field,
    ),
  )
  return [...new Set(names)].toSorted()
}

/** Fields by which one document is found, or the few of one line of a settlement file. */
const DOCUMENT_KEYS = ['_id', 'order_key', 'transaction_id', 'line_key']

function unfitOf(
  key: readonly string[],
  collection: string,
  branches: readonly Branch[],
  isLimited: boolean,
): Partial<Record<QueryClass, string>> {
  const hot = branches.map((branch) => whyNotHot(key, collection, branch)).find((reason) => reason !== undefined)
  return {
    ...(hot === undefined ? {} : { hot }),
    ...(branches.every(isOfOneMerchant) ? {} : { 'of a merchant': 'it does not name the merchant' }),
    ...(isLimited || branches.every(isBounded) ? {} : { background: 'it has neither a limit nor a range with two ends' }),
  }
}

/** Hot queries name the slot of each document, and no other slot; without a slot in the shard key, the key itself. */
function whyNotHot(key: readonly string[], collection: string, branch: Branch): string | undefined {
  const fields = key.includes('slot') ? key.slice(0, key.indexOf('slot') + 1) : key
  const missing = fields.filter((field) => branch.get(field)?.values === undefined)
  if (missing.length > 0) return `it does not name ${missing.join(' and ')}`
  if (!fields.includes('slot')) return undefined
  const named = new Set(branch.get('slot')?.values)
  for (const field of DOCUMENT_KEYS) {
    const slots = (branch.get(field)?.values ?? []).map((value) => slotOfDocument(collection, field, value))
    const unnamed = slots.filter((slot) => slot !== undefined && !named.has(slot))
    if (unnamed.length > 0) return `it does not name the slots of all documents by ${field}`
    if (slots.length > 0 && !slots.includes(undefined) && new Set(slots).size < named.size)
      return `it names slots of no document by ${field}`
  }
  return undefined
}

/** `undefined` when the value does not tell it. */
function slotOfDocument(collection: string, field: string, value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const [merchantId = '', rest = ''] = value.split(':', 2)
  if (field === 'order_key' || (field === '_id' && collection === 'order-api.orders')) return slotOfOrder(merchantId, rest)
  // Some ids of the ledger begin with the merchant's.
  return slotOf(value) ?? slotOf(rest)
}

function isOfOneMerchant(branch: Branch): boolean {
  if (branch.get('merchant_id')?.values?.length === 1) return true
  const { lower, upper } = branch.get('_id') ?? {}
  const merchant = merchantIn(lower)
  return merchant !== undefined && merchant === merchantIn(upper)
}

/** The merchant that an end of a range of ids begins with. `;` follows `:` and ends the range of all ids of a merchant. */
function merchantIn(end: unknown): string | undefined {
  return typeof end === 'string' ? /^([^:;]+)[:;]/u.exec(end)?.[1] : undefined
}

function isBounded(branch: Branch): boolean {
  const names = (field: string): boolean => branch.get(field)?.values !== undefined
  return DOCUMENT_KEYS.some(names) || [...branch.values()].some(({ lower, upper }) => lower !== undefined && upper !== undefined)
}

function docs(value: unknown): Doc[] {
  return Array.isArray(value) ? value.filter(isDoc) : []
}

/** A plain object: no date, id or binary. */
function isDoc(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
