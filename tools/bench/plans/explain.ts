import mongoose, { type Connection, type mongo } from 'mongoose'

/** Queries of the payment path or of loops that always run, made by the services' own code. None changes anything. */
export type HotQueries = Readonly<Record<string, () => Promise<unknown>>>

export type NamedVerdict = ReturnType<typeof judgePlan> & { readonly name: string }

/** Explains queries on a connection of their own: for each of them all commands that the services' code sends, as one verdict. */
export async function explainAll(
  url: string,
  dbName: string,
  queriesOf: (connection: Connection) => HotQueries | Promise<HotQueries>,
): Promise<NamedVerdict[]> {
  const connection = await mongoose.createConnection(url, { dbName, monitorCommands: true }).asPromise()
  try {
    const verdicts: NamedVerdict[] = []
    for (const [name, run] of Object.entries(await queriesOf(connection))) verdicts.push(await explain(name, connection, run))
    return verdicts
  } finally {
    await connection.close()
  }
}

async function explain(name: string, connection: Connection, run: () => Promise<unknown>): Promise<NamedVerdict> {
  const sent = await commandsOf(connection, run)
  if (sent.length === 0) throw new Error(`${name} has sent no query`)
  const plans: ExplainedPlan[] = []
  for (const find of sent) plans.push(await explainFind(connection, find))
  const verdicts = plans.map(judgePlan)
  return {
    name,
    indexes: [...new Set(verdicts.flatMap(({ indexes }) => indexes))],
    usesIndex: verdicts.every(({ usesIndex }) => usesIndex),
  }
}

async function explainFind(connection: Connection, find: mongo.Document): Promise<ExplainedPlan> {
  const explained = await connection.getClient().db(connection.name).command({ explain: find, verbosity: 'queryPlanner' })
  // The server's own form; whatever is not known in it is no index.
  return explained['queryPlanner'] as ExplainedPlan
}

async function commandsOf(connection: Connection, run: () => Promise<unknown>): Promise<mongo.Document[]> {
  const finds: mongo.Document[] = []
  const client = connection.getClient()
  const note = ({ command }: mongo.CommandStartedEvent): void => void finds.push(...toFinds(command))
  client.on('commandStarted', note)
  try {
    await run()
  } finally {
    client.off('commandStarted', note)
  }
  return finds
}

/** FerretDB explains searches only. A change or a count looks its documents up by the same filter, in the same order. */
function toFinds(command: mongo.Document): mongo.Document[] {
  const { find, findAndModify, update, aggregate, filter, query, sort, limit, updates, pipeline } = command
  const sorted = sort === undefined ? {} : { sort: sort as unknown }
  if (typeof find === 'string')
    return [{ find, filter: filter as unknown, ...sorted, ...(limit === undefined ? {} : { limit: limit as unknown }) }]
  if (typeof findAndModify === 'string') return [{ find: findAndModify, filter: query as unknown, ...sorted, limit: 1 }]
  if (typeof aggregate === 'string') return [{ find: aggregate, filter: (pipeline as { $match?: object }[])[0]?.$match ?? {} }]
  if (typeof update === 'string') return (updates as { q: mongo.Document }[]).map(({ q }) => ({ find: update, filter: q }))
  return []
}

/** What a server's `explain` says, as far as it is looked into: FerretDB shows PostgreSQL's plan, MongoDB its own. */
type ExplainedPlan = Readonly<Record<string, unknown>>

/**
 * Judges a plan by the nodes that read: each has to look into an index for something that the query asks for. `usesIndex` is false
 * when anything is read from its beginning to its end: a collection, or all entries of an index.
 */
export function judgePlan(plan: ExplainedPlan) {
  const nodes = nodesOf(plan)
  const scans = nodes.flatMap((node) => scanOf(node) ?? [])
  const indexes = [...new Set(scans.map(({ index }) => index).filter((index) => index !== undefined))]
  return { indexes, usesIndex: scans.length > 0 && scans.every(({ isBounded }) => isBounded) }
}

interface Scan {
  readonly index: string | undefined
  readonly isBounded: boolean
}

const MONGODB_INDEX_STAGES: readonly unknown[] = ['IXSCAN', 'IDHACK', 'EXPRESS_IXSCAN', 'EXPRESS_CLUSTERED_IXSCAN']

/** `undefined` for a node that reads nothing by itself, such as a sort. */
function scanOf(node: ExplainedPlan): Scan | undefined {
  const { stage, 'Node Type': type, 'Index Name': name, 'Index Cond': condition } = node
  if (stage === 'COLLSCAN') return { index: undefined, isBounded: false }
  if (MONGODB_INDEX_STAGES.includes(stage)) return { index: text(node['indexName']) ?? '_id_', isBounded: true }
  if (type === 'Seq Scan') return { index: undefined, isBounded: false }
  if (type === 'Index Scan' || type === 'Index Only Scan' || type === 'Bitmap Index Scan')
    return { index: text(name), isBounded: asksForSomething(text(condition)) }
  return undefined
}

/** Which collection it is, DocumentDB says in every condition on its primary key; that alone is all there is. */
function asksForSomething(condition: string | undefined): boolean {
  return condition !== undefined && condition.replace(/\(shard_key_value = '\d+'::bigint\)/u, '').replaceAll(/[() ]/gu, '') !== ''
}

/** Every object anywhere in the plan. */
function nodesOf(value: unknown): ExplainedPlan[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf)
  if (typeof value !== 'object' || value === null) return []
  const node: ExplainedPlan = { ...value }
  return [node, ...Object.values(node).flatMap(nodesOf)]
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
