import type { mongo } from 'mongoose'
import { insertBatch } from '@gateway/service-kit/mongo'

/**
 * Inserts the documents that are not stored yet in one command, then sends `replaceOlder` for the others in a second one. Each `_id`
 * must be unique in `documents`.
 */
export async function storeNewer<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  documents: readonly mongo.OptionalUnlessRequiredId<T>[],
  replaceOlder: (document: mongo.OptionalUnlessRequiredId<T>) => mongo.AnyBulkWriteOperation<T>,
): Promise<void> {
  if (documents.length === 0) return
  const inserted = await insertBatch(collection, documents)
  const stored = documents.filter((_, index) => !isTrue(inserted[index]))
  if (stored.length > 0) await collection.bulkWrite(stored.map(replaceOlder), { ordered: false })
}

/** True for an inserted document, false for one that already exists. Throws the error of a refused document. */
function isTrue(result: PromiseSettledResult<boolean> | undefined): boolean {
  if (result?.status === 'fulfilled') return result.value
  throw result?.reason
}
