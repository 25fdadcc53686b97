import { ServerError, Unsupported } from './errors.ts'
import { compileFilter, valuesAt } from './match.ts'
import { isDoc, keyText, shellText, type Doc } from './values.ts'

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

/** False when the collection has this very index already. Throws when it has another one of the same name or the same keys. */
export function isNewIndex(existing: readonly IndexSpec[], wanted: IndexSpec): boolean {
  const same = existing.find(({ name }) => name === wanted.name)
  if (same && keyText(describeIndex(same)) === keyText(describeIndex(wanted))) return false
  if (same && keyText(same.key) === keyText(wanted.key))
    throw new ServerError(
      85,
      `An equivalent index already exists with the same name but different options. Requested index: ${wanted.name}`,
    )
  if (same) throw new ServerError(86, `An existing index has the same name as the requested index: ${wanted.name}`)
  const twin = existing.find(({ key, partialFilterExpression }) => {
    return keyText([key, partialFilterExpression]) === keyText([wanted.key, wanted.partialFilterExpression])
  })
  if (twin) throw new ServerError(85, `Index already exists with a different name: ${twin.name}`)
  return true
}

/** The entries of a unique index: which document holds which key. */
export class UniqueKeys {
  readonly spec: IndexSpec
  readonly #paths: readonly (readonly string[])[]
  readonly #holds: (doc: Doc) => boolean
  readonly #owners = new Map<string, string>()

  constructor(spec: IndexSpec) {
    this.spec = spec
    this.#paths = Object.keys(spec.key).map((name) => name.split('.'))
    this.#holds = spec.partialFilterExpression ? compileFilter(spec.partialFilterExpression) : () => true
  }

  /** Throws E11000, in the words of the server, when another document has a key of this one. */
  check(namespace: string, id: string, doc: Doc): void {
    for (const [text, values] of this.#keysOf(doc)) {
      const owner = this.#owners.get(text)
      if (owner !== undefined && owner !== id) throw this.#duplicate(namespace, values)
    }
  }

  add(id: string, doc: Doc): void {
    for (const [text] of this.#keysOf(doc)) this.#owners.set(text, id)
  }

  remove(doc: Doc): void {
    for (const [text] of this.#keysOf(doc)) this.#owners.delete(text)
  }

  /** A document has one key, or one for each element of an array. */
  #keysOf(doc: Doc): [string, unknown[]][] {
    if (!this.#holds(doc)) return []
    let keys: unknown[][] = [[]]
    for (const path of this.#paths) {
      const values = valuesAt(doc, path).flatMap((value): unknown[] =>
        Array.isArray(value) && value.length > 0 ? value : [value],
      )
      keys = keys.flatMap((key) => values.map((value) => [...key, value ?? null]))
    }
    return keys.map((key) => [keyText(key), key])
  }

  #duplicate(namespace: string, values: readonly unknown[]): ServerError {
    const fields = Object.keys(this.spec.key)
    const keyValue = Object.fromEntries(fields.map((field, index) => [field, values[index]]))
    const shown = fields.map((field, index) => `${field}: ${shellText(values[index])}`).join(', ')
    const message = `E11000 duplicate key error collection: ${namespace} index: ${this.spec.name} dup key: { ${shown} }`
    return new ServerError(11000, message, { keyPattern: this.spec.key, keyValue })
  }
}
