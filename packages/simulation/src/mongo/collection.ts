import { ServerError } from './errors.ts'
import { ID_INDEX, UniqueKeys, type IndexSpec } from './indexes.ts'
import { matcherOf } from './query.ts'
import { hasOperators, keyText, type Doc } from './values.ts'

/** The documents and indexes of one collection, at one point of the log. */
export class Collection {
  readonly namespace: string
  /** By the text of their ids, in the order of their insertion. */
  readonly #docs = new Map<string, Doc>()
  #indexes: readonly IndexSpec[] = [ID_INDEX]
  #unique: readonly UniqueKeys[] = []

  constructor(namespace: string) {
    this.namespace = namespace
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
    if (!before && this.#docs.has(id)) {
      const [keyPattern, keyValue] = [ID_INDEX.key, { _id: doc['_id'] }]
      const message = `E11000 duplicate key error collection: ${this.namespace} index: _id_ dup key: { _id: ${JSON.stringify(doc['_id'])} }`
      throw new ServerError(11000, message, { keyPattern, keyValue })
    }
    for (const keys of this.#unique) keys.check(this.namespace, id, doc)
  }

  /** Puts a document in place of another one; either may be missing. */
  replace(id: string, before: Doc | undefined, after: Doc | undefined): void {
    for (const keys of this.#unique) {
      if (before) keys.remove(before)
      if (after) keys.add(id, after)
    }
    if (after) this.#docs.set(id, after)
    else this.#docs.delete(id)
  }

  /** Changes the set of indexes. Throws E11000 when the documents contradict a new unique one. */
  setIndexes(indexes: readonly IndexSpec[]): void {
    const unique = indexes.filter(({ name, unique }) => unique && name !== ID_INDEX.name).map((spec) => new UniqueKeys(spec))
    for (const [id, doc] of this.#docs) {
      for (const keys of unique) {
        keys.check(this.namespace, id, doc)
        keys.add(id, doc)
      }
    }
    this.#indexes = indexes
    this.#unique = unique
  }

  copy(): Collection {
    const copy = new Collection(this.namespace)
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
