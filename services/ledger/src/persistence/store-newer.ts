import type { mongo } from 'mongoose'
import { insertBatch } from '@gateway/service-kit/mongo'

interface HowToStore<T extends mongo.Document> {
  /** True when `one` is newer than `other`, which has the same `_id`. */
  readonly isNewer: (one: mongo.OptionalUnlessRequiredId<T>, other: mongo.OptionalUnlessRequiredId<T>) => boolean
  /** At most one of the operations changes something; none does when the stored document is as new or newer. */
  readonly replaceOlder: (document: mongo.OptionalUnlessRequiredId<T>) => readonly mongo.AnyBulkWriteOperation<T>[]
}

/**
 * Of the copies with the same `_id`, takes the newest. Inserts those that are not stored yet in one command, then sends `replaceOlder`
 * for the others in a second one. Resolves to the ids of the inserted documents.
 */
export async function storeNewer<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  copies: readonly mongo.OptionalUnlessRequiredId<T>[],
  { isNewer, replaceOlder }: HowToStore<T>,
): Promise<string[]> {
  const newest = new Map<string, mongo.OptionalUnlessRequiredId<T>>()
  for (const copy of copies) {
    const other = newest.get(String(copy._id))
    if (!other || isNewer(copy, other)) newest.set(String(copy._id), copy)
  }
  const documents = [...newest.values()].toSorted((one, other) => (String(one._id) < String(other._id) ? -1 : 1))
  if (documents.length === 0) return []
  const inserted = await insertBatch(collection, documents)
  const isNew = inserted.map(isTrue)
  const stored = documents.filter((_, index) => isNew[index] !== true)
  if (stored.length > 0) await collection.bulkWrite(stored.flatMap(replaceOlder), { ordered: false })
  return documents.filter((_, index) => isNew[index] === true).map(({ _id }) => String(_id))
}

/** True for an inserted document, false for one that already exists. Throws the error of a refused document. */
function isTrue(result: PromiseSettledResult<boolean>): boolean {
  if (result.status === 'fulfilled') return result.value
  throw result.reason
}
