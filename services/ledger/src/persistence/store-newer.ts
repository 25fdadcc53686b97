import type { mongo } from 'mongoose'
import { byId, insertBatch, storedIds } from '@gateway/service-kit/mongo'

interface HowToStore<T extends mongo.Document> {
  /** True when `one` is newer than `other`, which has the same `_id`. */
  readonly isNewer: (one: mongo.OptionalUnlessRequiredId<T>, other: mongo.OptionalUnlessRequiredId<T>) => boolean
  /** At most one of the operations changes something; none does when the stored document is as new or newer. */
  readonly replaceOlder: (document: mongo.OptionalUnlessRequiredId<T>) => readonly mongo.AnyBulkWriteOperation<T>[]
  /** True when no copy of the document can be older than this one. By default never. */
  readonly isOldest?: (document: mongo.OptionalUnlessRequiredId<T>) => boolean
}

/**
 * Of the copies with the same `_id`, takes the newest. Reads which of them are stored, inserts those that are not, and sends
 * `replaceOlder` for the others: three commands at most. Without the read, FerretDB would insert a batch with one stored document
 * in it document by document. The oldest copies are inserted without it: they seldom have a stored one, and would not replace it.
 */
export async function storeNewer<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  copies: readonly mongo.OptionalUnlessRequiredId<T>[],
  { isNewer, replaceOlder, isOldest = () => false }: HowToStore<T>,
): Promise<void> {
  const newest = new Map<string, mongo.OptionalUnlessRequiredId<T>>()
  for (const copy of copies) {
    const other = newest.get(String(copy._id))
    if (!other || isNewer(copy, other)) newest.set(String(copy._id), copy)
  }
  const chosen = [...newest.values()]
  const isStored = await storedIds(
    collection,
    chosen.filter((copy) => !isOldest(copy)).map(({ _id }) => String(_id)),
  )
  const absent = chosen.filter(({ _id }) => !isStored.has(String(_id)))
  const inserted = await insertBatch(collection, absent)
  // Another replica may have stored some of them since the read.
  const isNew = new Set(absent.filter((_, index) => isTrue(inserted[index])))
  const stored = chosen.filter((copy) => !isNew.has(copy) && !isOldest(copy)).toSorted(byId)
  const changes = stored.flatMap(replaceOlder)
  if (changes.length > 0) await collection.bulkWrite(changes, { ordered: false })
}

/** True for an inserted document, false for one that already exists. Throws the error of a refused document. */
function isTrue(result: PromiseSettledResult<boolean> | undefined): boolean {
  if (result?.status === 'rejected') throw result.reason
  return result?.value ?? false
}
