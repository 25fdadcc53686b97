/**
 * Queries on documents in memory, by mingo. It throws on operators that it does not know. In one case it differs from MongoDB: a field
 * that an embedded document in an array lacks does not equal `null`; no service asks so.
 */
import { aggregate, Query } from 'mingo'
import { cloneDeep } from 'mingo/util'
import type { Doc } from './values.ts'

/** Whether documents fulfil a filter. */
export function matcherOf(filter: Doc): (doc: Doc) => boolean {
  const query = new Query(filter)
  return (doc) => query.test(doc)
}

export interface View {
  readonly sort?: Doc
  readonly projection?: Doc
  readonly skip?: number
  /** 0: no limit. */
  readonly limit?: number
}

/** Documents in an order and in parts. A projection that leaves out a part changes the document itself, so it gets copies. */
export function viewOf(documents: Doc[], { sort = {}, projection = {}, skip = 0, limit = 0 }: View): Doc[] {
  const isWhole = Object.keys(projection).length === 0
  const cursor = new Query({}).find<Doc>(isWhole ? documents : documents.map((doc) => cloneDeep(doc)), projection)
  if (Object.keys(sort).length > 0) cursor.sort(sort)
  cursor.skip(skip)
  if (limit > 0) cursor.limit(limit)
  return cursor.all()
}

export function runPipeline(documents: Doc[], pipeline: readonly Doc[]): Doc[] {
  return aggregate(documents, [...pipeline])
}
