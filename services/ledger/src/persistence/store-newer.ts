import type { mongo } from 'mongoose'
import { insertBatch } from '@gateway/service-kit/mongo'

/**
 * Inserts the documents that are not stored yet, and then sends `replaceOlder` of the others, in one command each. Each `_id` comes
 * once.
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

/** True for a document that was inserted, false for one that exists. Throws the error of one that was refused. */
function isTrue(result: PromiseSettledResult<boolean> | undefined): boolean {
  if (result?.status === 'fulfilled') return result.value
  throw result?.reason
}
