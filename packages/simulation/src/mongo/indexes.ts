import { ServerError, Unsupported } from './errors.ts'
import { matcherOf } from './query.ts'
import { isDoc, keyText, type Doc } from './values.ts'

/** An index as `createIndexes` gives it. */
export interface IndexSpec {
  readonly name: string
  readonly key: Doc
  readonly unique: boolean
  readonly partialFilterExpression?: Doc | undefined
  readonly expireAfterSeconds?: number | undefined
}

export const ID_INDEX: IndexSpec = { name: '_id_', key: { _id: 1 }, unique: true }

const KNOWN = new Set(['name', 'key', 'unique', 'partialFilterExpression', 'expireAfterSeconds', 'background', 'v', 'ns'])

export function readIndex(given: unknown): IndexSpec {
  if (!isDoc(given)) throw new ServerError(14, 'an index must be an object')
  const unknown = Object.keys(given).find((name) => !KNOWN.has(name))
  if (unknown !== undefined) throw new Unsupported(`the index option ${unknown}`)
  const { name, key, unique, partialFilterExpression, expireAfterSeconds } = given
  if (typeof name !== 'string' || !isDoc(key)) throw new ServerError(9, 'an index needs a name and a key')
  if (Object.values(key).some((direction) => direction !== 1 && direction !== -1))
    throw new Unsupported('indexes other than 1 and -1')
  return {
    name,
    key,
    unique: unique === true,
    ...(isDoc(partialFilterExpression) && { partialFilterExpression }),
    ...(typeof expireAfterSeconds === 'number' && { expireAfterSeconds }),
  }
}

/** As `listIndexes` tells it. */
export function describeIndex({ name, key, unique, partialFilterExpression, expireAfterSeconds }: IndexSpec): Doc {
  return {
    v: 2,
    key,
    name,
    ...(unique && name !== ID_INDEX.name && { unique }),
    ...(partialFilterExpression && { partialFilterExpression }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
  }
}

/** False when the collection has this very index already. */
export function isNewIndex(existing: readonly IndexSpec[], wanted: IndexSpec): boolean {
  const same = existing.find(({ name }) => name === wanted.name)
  if (same && keyText(describeIndex(same)) !== keyText(describeIndex(wanted)))
    throw new Unsupported(`two indexes of the name ${wanted.name}`)
  return !same
}

/** The entries of a unique index: which document holds which key. */
export class UniqueKeys {
  readonly spec: IndexSpec
  readonly #holds: (doc: Doc) => boolean
  readonly #owners = new Map<string, string>()

  constructor(spec: IndexSpec) {
    this.spec = spec
    this.#holds = matcherOf(spec.partialFilterExpression ?? {})
  }

  /** Throws E11000, in the words of the server, when another document has the key of this one. */
  check(namespace: string, id: string, doc: Doc): void {
    const owner = this.#owners.get(this.#keyOf(doc) ?? '')
    if (owner !== undefined && owner !== id) throw this.#duplicate(namespace, doc)
  }

  add(id: string, doc: Doc): void {
    const key = this.#keyOf(doc)
    if (key !== undefined) this.#owners.set(key, id)
  }

  remove(doc: Doc): void {
    this.#owners.delete(this.#keyOf(doc) ?? '')
  }

  /** `undefined` for a document that the index does not hold. */
  #keyOf(doc: Doc): string | undefined {
    return this.#holds(doc) ? keyText(Object.values(this.#valuesOf(doc))) : undefined
  }

  #valuesOf(doc: Doc): Doc {
    return Object.fromEntries(Object.keys(this.spec.key).map((field) => [field, valueAt(doc, field.split('.'))]))
  }

  #duplicate(namespace: string, doc: Doc): ServerError {
    const keyValue = this.#valuesOf(doc)
    const shown = Object.entries(keyValue).map(([field, value]) => `${field}: ${JSON.stringify(value)}`)
    const message = `E11000 duplicate key error collection: ${namespace} index: ${this.spec.name} dup key: { ${shown.join(', ')} }`
    return new ServerError(11000, message, { keyPattern: this.spec.key, keyValue })
  }
}

function valueAt(value: unknown, [head, ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) throw new Unsupported('unique indexes of arrays')
  if (head === undefined) return value ?? null
  return isDoc(value) ? valueAt(value[head], rest) : null
}
