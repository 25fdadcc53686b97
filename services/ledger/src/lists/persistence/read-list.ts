import type { mongo } from 'mongoose'
import { fits, type ListFilter, type ListPage, type ListedField } from '../domain/list.ts'

/** A document whose `_id` is `<merchant>:<position>`: in the order of creation for each merchant. */
export interface ListedDocument extends mongo.Document, Readonly<Partial<Record<ListedField, unknown>>> {
  readonly _id: string
  readonly amount_paise: number
}

/** What a page is made of: documents that fit, newest first, as far as `limit` allows one more than the page needs. */
export interface Found<T> {
  readonly documents: readonly T[]
  /** The `_id` up to which older documents were not examined; `undefined` when there are none. */
  readonly rest?: string | undefined
}

export type IdRange = Readonly<{ $gte: string; $lt: string }>

/** Documents that one page may read. */
export const MAX_EXAMINED = 5000
/** Documents that an exact condition may match to be read at once. */
const MAX_FEW = 1000

/**
 * Reads along the primary key, in its order: the newest documents of the range, of which the database answers those that fit. It
 * drops the others itself, because a document that is sent costs far more than one that is read.
 */
export async function readNewest<T extends ListedDocument>(
  collection: mongo.Collection<T>,
  _id: IdRange,
  filter: ListFilter,
  { wanted, examine = MAX_EXAMINED }: { wanted: number; examine?: number },
): Promise<Found<T>> {
  const conditions = conditionsOf(filter)
  const inRange = { _id } as mongo.Filter<T>
  const newestFirst = { _id: -1 } as const
  if (Object.keys(conditions).length === 0)
    return { documents: (await collection.find(inRange).sort(newestFirst).limit(wanted).toArray()) as T[] }
  const stages = [{ $match: inRange }, { $sort: newestFirst }, { $limit: examine }, { $match: conditions }, { $limit: wanted }]
  const documents = await collection.aggregate<T>(stages).toArray()
  if (documents.length >= wanted) return { documents }
  const last = collection.find(inRange, { projection: { _id: 1 } }).sort(newestFirst)
  const [end] = (await last
    .skip(examine - 1)
    .limit(1)
    .toArray()) as T[]
  if (!end) return { documents }
  // A document that was stored between the two reads moves the end: what is behind it is on the next page.
  return { documents: documents.filter((one) => one._id >= end._id), rest: end._id }
}

/**
 * Reads what an exact condition matches, which has an index and fits few documents. With a range of ids in the query, FerretDB would
 * read all documents of the merchant.
 */
export async function readFew<T extends ListedDocument>(
  collection: mongo.Collection<T>,
  exact: ListFilter['equal'],
  _id: IdRange,
  filter: ListFilter,
  limits: { wanted: number },
): Promise<Found<T>> {
  const query = { merchant_id: filter.merchantId, ...defined(exact) } as mongo.Filter<T>
  const all = (await collection.find(query).limit(MAX_FEW).toArray()) as T[]
  if (all.length === MAX_FEW) return readNewest(collection, _id, filter, limits)
  return { documents: newestFitting(all, filter, _id) }
}

/** Those of the documents that fit, newest first. */
export function newestFitting<T extends ListedDocument>(
  documents: readonly T[],
  filter: ListFilter,
  { $gte, $lt }: IdRange,
): T[] {
  const fitting = documents.filter((document) => document._id >= $gte && document._id < $lt && fits(document, filter))
  return fitting.toSorted((one, other) => (one._id > other._id ? -1 : 1))
}

/** The page of at most `limit` documents. */
export function pageOf<T extends ListedDocument>(
  { documents, rest }: Found<T>,
  { merchantId }: ListFilter,
  limit: number,
): ListPage<T> {
  const found = documents.slice(0, limit)
  const end = documents.length > limit ? found.at(-1)?._id : rest
  return { found, next: end?.slice(merchantId.length + 1) }
}

/** The values that a filter names. */
export function defined(equal: ListFilter['equal']): Partial<Record<ListedField, string>> {
  return Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined))
}

function conditionsOf({ equal, minPaise, maxPaise }: ListFilter): mongo.Document {
  const amount = {
    ...(minPaise === undefined ? {} : { $gte: minPaise }),
    ...(maxPaise === undefined ? {} : { $lte: maxPaise }),
  }
  return { ...defined(equal), ...(Object.keys(amount).length === 0 ? {} : { amount_paise: amount }) }
}
