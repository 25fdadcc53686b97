/**
 * Documents in memory, and queries and updates of them, by mingo. It throws on operators that it does not know. In one case it differs
 * from MongoDB: a field that an embedded document in an array lacks does not equal `null`; no service asks so.
 */
import { Query } from 'mingo'
import { update } from 'mingo/updater'
import { cloneDeep } from 'mingo/util'
import { mongo } from 'mongoose'
import { Unsupported } from './errors.ts'

/** A stored document. It is never changed, only replaced, so that copies and before-images cost nothing. */
export type Doc = Readonly<Record<string, unknown>>

/** True for an embedded document: no array, date, id or other value of a type of its own. */
export function isDoc(value: unknown): value is Doc {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** True for `{ $gt: 1 }`, false for a value to compare with. */
export function hasOperators(value: unknown): value is Doc {
  return isDoc(value) && Object.keys(value).some((name) => name.startsWith('$'))
}

/** A text that is the same for equal values, and different for different ones. */
export function keyText(value: unknown): string {
  return typeof value === 'string' ? `s${value}` : mongo.BSON.EJSON.stringify({ value: value ?? null })
}

/** Whether documents fulfil a filter. */
export function matcherOf(filter: Doc): (doc: Doc) => boolean {
  const query = new Query(filter)
  return (doc) => query.test(doc)
}

/** Documents in an order and in parts; with the limit 0 all of them. A projection changes the document itself, so it gets copies. */
export function viewOf(documents: Doc[], view: { readonly sort: Doc; readonly projection: Doc; readonly limit: number }): Doc[] {
  const { sort, projection, limit } = view
  const isWhole = Object.keys(projection).length === 0
  const cursor = new Query({}).find<Doc>(isWhole ? documents : documents.map((doc) => cloneDeep(doc)), projection)
  if (Object.keys(sort).length > 0) cursor.sort(sort)
  if (limit > 0) cursor.limit(limit)
  return cursor.all()
}

/** The document that an update with operators makes of another one. */
export function updated(doc: Doc, operators: unknown): Doc {
  if (!hasOperators(operators)) throw new Unsupported('updates without operators')
  const { $setOnInsert: _onlyInserted, ...others } = operators
  const copy = cloneDeep(doc)
  update(copy, others, [], {}, { cloneMode: 'none' })
  return copy
}

/** The document that an upsert inserts: what the filter says that it must equal, then the update. */
export function inserted(filter: Doc, operators: unknown): Doc {
  const equal = Object.entries(filter).filter(([name, value]) => !name.startsWith('$') && !hasOperators(value))
  const nested = equal.find(([name]) => name.includes('.'))
  if (nested) throw new Unsupported(`an upsert by the embedded field ${nested[0]}`)
  const { $set, $setOnInsert, ...others } = isDoc(operators) ? operators : { operators }
  return withId(updated(Object.fromEntries(equal), { $set: Object.assign({}, $set, $setOnInsert), ...others }))
}

/** The id comes first, as on a server. */
export function withId({ _id, ...fields }: Doc): Doc {
  if (_id === undefined) throw new Unsupported('documents without an id')
  return { _id, ...fields }
}
