import { ownSlotsOf } from '@gateway/contracts'
import type { OutboxDocument, OutboxEntry } from './entry.ts'

/** The methods of a driver collection that the relay calls; `Model.collection` and the driver's `Collection` have them. */
export interface OutboxCollection {
  find(filter: object): {
    project<T extends object>(fields: object): { limit(count: number): { toArray(): Promise<T[]> } }
  }
  updateMany(filter: object, update: object): Promise<unknown>
  countDocuments(filter: object, options: { limit: number }): Promise<number>
}

/** The index is partial. DocumentDB uses it only when the query repeats its condition (ADR 5). */
const UNPUBLISHED = { $exists: true }

/** What the sweep reads of a document. */
type UnpublishedDocument = Pick<OutboxDocument, '_id' | 'outbox'>

/** Documents with an event that happened up to `cutoff`, except those in `exceptIds`. */
export function findUnpublished(
  collection: OutboxCollection,
  { cutoff, exceptIds, limit }: { cutoff: Date; exceptIds: string[]; limit: number },
): Promise<UnpublishedDocument[]> {
  const except = exceptIds.length > 0 ? { _id: { $nin: exceptIds } } : {}
  return collection
    .find({ 'outbox.at': { ...UNPUBLISHED, $lte: cutoff }, ...except })
    .project<UnpublishedDocument>({ outbox: 1 })
    .limit(limit)
    .toArray()
}

/** Removes published events from their documents, by event id: a document may have a newer event by now. */
export async function clearPublished(
  collection: OutboxCollection,
  published: readonly { readonly documentId: string; readonly entry: Pick<OutboxEntry, 'id'> }[],
): Promise<PromiseSettledResult<undefined>[]> {
  const documentIds = [...new Set(published.map(({ documentId }) => documentId))]
  const eventIds = published.map(({ entry }) => entry.id)
  await collection.updateMany(
    { _id: { $in: documentIds }, slot: { $in: ownSlotsOf(eventIds) } },
    { $pull: { outbox: { id: { $in: eventIds } } } },
  )
  return published.map(() => ({ status: 'fulfilled', value: undefined }))
}

/** The number of documents with unpublished events, counted up to `limit`. */
export function countUnpublished(collection: OutboxCollection, limit: number): Promise<number> {
  return collection.countDocuments({ 'outbox.at': UNPUBLISHED }, { limit })
}

/** The number of documents with events that were put back (put-back.ts), counted up to `limit`. */
export function countPutBack(collection: OutboxCollection, limit: number): Promise<number> {
  return collection.countDocuments({ 'outbox.at': UNPUBLISHED, 'outbox.maybe_published': true }, { limit })
}
