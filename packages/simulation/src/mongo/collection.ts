import { hasOperators, isDoc, keyText, matcherOf, type Doc } from './documents.ts'
import { ServerError, Unsupported } from './errors.ts'

/** An index as `createIndexes` gives it and `listIndexes` tells it. */
export type IndexSpec = Doc & { readonly name: string; readonly key: Doc }

const ID_INDEX: IndexSpec = { v: 2, key: { _id: 1 }, name: '_id_' }
const INDEX_FIELDS = new Set(['v', 'key', 'name', 'unique', 'partialFilterExpression', 'expireAfterSeconds', 'background'])

/** The documents and indexes of one collection, at one point of the log. */
export class Collection {
  readonly #namespace: string
  /** By the text of their ids, in the order of their insertion. */
  readonly #docs = new Map<string, Doc>()
  #indexes: readonly IndexSpec[] = [ID_INDEX]
  #unique: readonly UniqueKeys[] = []

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  get indexes(): readonly IndexSpec[] {
    return this.#indexes
  }

  get all(): Doc[] {
    return [...this.#docs.values()]
  }

  /** The documents that a filter selects, in the order of their insertion. */
  select(filter: Doc): Doc[] {
    return this.#candidates(filter['_id']).filter(matcherOf(filter))
  }

  /** Throws E11000 when a unique index refuses the document in place of `before`. */
  check(doc: Doc, before: Doc | undefined): void {
    const id = keyText(doc['_id'])
    if (!before && this.#docs.has(id)) throw duplicate(this.#namespace, ID_INDEX, { _id: doc['_id'] })
    for (const keys of this.#unique) keys.check(this.#namespace, id, doc)
  }

  /** Puts a document in place of another one, or of none. */
  replace(id: string, before: Doc | undefined, after: Doc): void {
    for (const keys of this.#unique) {
      if (before) keys.remove(before)
      keys.add(id, after)
    }
    this.#docs.set(id, after)
  }

  /** Takes documents of another shard. Throws E11000 when one of them is here already: MongoDB then moves no chunk. */
  take(documents: readonly Doc[]): void {
    for (const doc of documents) {
      this.check(doc, undefined)
      this.replace(keyText(doc['_id']), undefined, doc)
    }
  }

  /** Removes documents. */
  remove(ids: readonly unknown[]): void {
    for (const id of ids.map(keyText)) {
      const doc = this.#docs.get(id)
      if (doc) for (const keys of this.#unique) keys.remove(doc)
      this.#docs.delete(id)
    }
  }

  /** Changes the set of indexes. Throws E11000 when the documents contradict a new unique one. */
  setIndexes(indexes: readonly IndexSpec[]): void {
    const unique = indexes.filter((spec) => spec['unique'] === true).map((spec) => new UniqueKeys(spec))
    for (const [id, doc] of this.#docs) {
      for (const keys of unique) {
        keys.check(this.#namespace, id, doc)
        keys.add(id, doc)
      }
    }
    this.#indexes = indexes
    this.#unique = unique
  }

  copy(): Collection {
    const copy = new Collection(this.#namespace)
    for (const [id, doc] of this.#docs) copy.#docs.set(id, doc)
    copy.setIndexes(this.#indexes)
    return copy
  }

  /** Along the primary key where a filter names ids, all documents otherwise. */
  #candidates(id: unknown): Doc[] {
    if (id === undefined) return this.all
    if (!hasOperators(id)) return this.#byIds([id])
    return Array.isArray(id['$in']) ? this.#byIds(id['$in']) : this.all
  }

  #byIds(ids: readonly unknown[]): Doc[] {
    const found = new Set(ids.map((id) => this.#docs.get(keyText(id))))
    return [...found].filter((doc) => doc !== undefined)
  }
}

/** Reads an index of `createIndexes`. */
export function readIndex(given: Doc): IndexSpec {
  const unknown = Object.keys(given).find((name) => !INDEX_FIELDS.has(name))
  if (unknown !== undefined) throw new Unsupported(`the index option ${unknown}`)
  const { name, key, background: _ignored, ...options } = given
  if (typeof name !== 'string' || !isDoc(key)) throw new Unsupported('an index without a name or a key')
  return { v: 2, key, name, ...options }
}

/** The entries of a unique index: which document holds which key. */
class UniqueKeys {
  readonly #spec: IndexSpec
  readonly #holds: (doc: Doc) => boolean
  readonly #owners = new Map<string, string>()

  constructor(spec: IndexSpec) {
    const { partialFilterExpression: filter } = spec
    this.#spec = spec
    this.#holds = matcherOf(isDoc(filter) ? filter : {})
  }

  /** Throws E11000 when another document has the key of this one. */
  check(namespace: string, id: string, doc: Doc): void {
    const owner = this.#owners.get(this.#keyOf(doc) ?? '')
    if (owner !== undefined && owner !== id) throw duplicate(namespace, this.#spec, this.#valuesOf(doc))
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
    return Object.fromEntries(Object.keys(this.#spec.key).map((field) => [field, valueAt(doc, field.split('.'))]))
  }
}

function valueAt(value: unknown, [head, ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) throw new Unsupported('unique indexes of arrays')
  if (head === undefined) return value ?? null
  return isDoc(value) ? valueAt(value[head], rest) : null
}

/** E11000, in the words of the server. */
function duplicate(namespace: string, { name, key }: IndexSpec, keyValue: Doc): ServerError {
  const shown = Object.entries(keyValue).map(([field, value]) => `${field}: ${JSON.stringify(value)}`)
  const message = `E11000 duplicate key error collection: ${namespace} index: ${name} dup key: { ${shown.join(', ')} }`
  return new ServerError(11000, message, { keyPattern: key, keyValue })
}
