import { ServerError, Unsupported } from './errors.ts'
import { valuesAt } from './match.ts'
import { compare, isDoc, type Doc } from './values.ts'

/** Chooses the fields of an answer: either the named ones and `_id`, or all but the named ones. */
export function compileProjection(projection: unknown): (doc: Doc) => Doc {
  if (projection === undefined || projection === null) return (doc) => doc
  if (!isDoc(projection)) throw new ServerError(14, 'projection must be an object')
  const { _id: id, ...fields } = projection
  const chosen = Object.entries(fields).map(([name, value]) => [name, isTaken(name, value)] as const)
  if (new Set(chosen.map(([, taken]) => taken)).size > 1)
    throw new ServerError(2, 'Cannot do exclusion in inclusion projection, or the other way round')
  const keepsId = id === undefined || isTaken('_id', id)
  const includes = chosen[0]?.[1] ?? (id !== undefined && keepsId)
  const paths = chosen.map(([name]) => name.split('.'))
  return includes
    ? (doc) => include(doc, keepsId ? [['_id'], ...paths] : paths)
    : (doc) => exclude(doc, keepsId ? paths : [['_id'], ...paths])
}

function isTaken(name: string, value: unknown): boolean {
  if (name.includes('$') || (typeof value !== 'boolean' && typeof value !== 'number'))
    throw new Unsupported(`the projection of ${name}`)
  return Boolean(value)
}

type Paths = readonly (readonly string[])[]

/** The rest of each path that begins with this field. */
function below(paths: Paths, field: string): Paths {
  return paths.filter(([head]) => head === field).map(([, ...rest]) => rest)
}

function include(doc: Doc, paths: Paths): Doc {
  const taken: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(doc)) {
    const rests = below(paths, field)
    if (rests.length === 0) continue
    const part = rests.some((rest) => rest.length === 0) ? value : includeWithin(value, rests)
    if (part !== undefined) taken[field] = part
  }
  return taken
}

/** Of arrays only the documents are kept, and what is chosen of them; other values have no such fields. */
function includeWithin(value: unknown, paths: Paths): unknown {
  if (isDoc(value)) return include(value, paths)
  if (!Array.isArray(value)) return undefined
  return value.map((element: unknown) => includeWithin(element, paths)).filter((element) => element !== undefined)
}

function exclude(doc: Doc, paths: Paths): Doc {
  const kept: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(doc)) {
    const rests = below(paths, field)
    if (!rests.some((rest) => rest.length === 0)) kept[field] = rests.length > 0 ? excludeWithin(value, rests) : value
  }
  return kept
}

function excludeWithin(value: unknown, paths: Paths): unknown {
  if (isDoc(value)) return exclude(value, paths)
  return Array.isArray(value) ? value.map((element: unknown) => excludeWithin(element, paths)) : value
}

/** Compares documents by fields in turn; `undefined` when there is nothing to sort by. An array counts by its least or greatest element. */
export function compileSort(sort: unknown): ((one: Doc, other: Doc) => number) | undefined {
  if (sort === undefined) return undefined
  if (!isDoc(sort)) throw new ServerError(14, 'sort must be an object')
  const keys = Object.entries(sort).map(([name, direction]) => {
    if (direction !== 1 && direction !== -1) throw new Unsupported(`the sort of ${name}`)
    return { path: name.split('.'), sign: direction === 1 ? (1 as const) : (-1 as const) }
  })
  if (keys.length === 0) return undefined
  return (one, other) => {
    for (const { path, sign } of keys) {
      const order = sign * compare(sortKey(one, path, sign), sortKey(other, path, sign))
      if (order !== 0) return order
    }
    return 0
  }
}

function sortKey(doc: Doc, path: readonly string[], sign: 1 | -1): unknown {
  const values = valuesAt(doc, path).flatMap((value): unknown[] => (Array.isArray(value) ? value : [value]))
  return values.reduce((best, value) => (sign * compare(value, best) < 0 ? value : best), values[0])
}
