import type { mongo } from 'mongoose'
import { byId, insertBatch, storedIds } from '@gateway/service-kit/mongo'

interface Document extends mongo.Document {
  readonly _id: string
}

/** A copy of something at payment-status. Of two copies with one `_id`, the one with the higher version is newer. */
interface Copy extends Document {
  readonly version: number
}

const FIRST_VERSION = 1

type Operation<T extends Document> = mongo.AnyBulkWriteOperation<T>

/**
 * Stores each copy unless a newer one is stored. Reads which of them are stored (first copies are taken to be new), inserts those that are not, and sends
 * `replaceOlder` for the others: three commands at most. Without the read, FerretDB would insert a batch with one stored document
 * in it document by document.
 *
 * @param replaceOlder at most one of the operations changes something; none does when the stored copy is as new or newer
 */
export async function storeNewer<T extends Copy>(
  collection: mongo.Collection<T>,
  copies: readonly T[],
  replaceOlder: (copy: T) => readonly Operation<T>[] = replaceWhole,
): Promise<void> {
  const inOrder = copies.toSorted((one, other) => one.version - other.version)
  // `Map` keeps the last copy of each id.
  const newest = [...new Map(inOrder.map((copy) => [copy._id, copy])).values()]
  // A first copy is stored already only if its event came twice.
  const later = newest.filter(({ version }) => version > FIRST_VERSION).map(({ _id }) => _id)
  const isStored = await storedIds(collection, later)
  const known = newest.filter(({ _id }) => isStored.has(_id))
  // Another replica may have stored some of them since the read.
  const meanwhile = await insertAbsent(
    collection,
    newest.filter(({ _id }) => !isStored.has(_id)),
  )
  const changes = [...known, ...meanwhile].toSorted(byId).flatMap(replaceOlder)
  if (changes.length > 0) await collection.bulkWrite(changes, { ordered: false })
}

function replaceWhole<T extends Copy>(copy: T): readonly Operation<T>[] {
  const older = { _id: copy._id, version: { $lt: copy.version } } as mongo.Filter<T>
  return [{ replaceOne: { filter: older, replacement: copy } }]
}

/** Inserts documents. Resolves to those whose `_id` is stored already; throws the error of a refused one. */
export async function insertAbsent<T extends Document>(collection: mongo.Collection<T>, documents: readonly T[]): Promise<T[]> {
  const results = await insertBatch(collection, documents as readonly mongo.OptionalUnlessRequiredId<T>[])
  return documents.filter((_, index) => {
    const result = results[index]
    if (result?.status === 'rejected') throw result.reason
    return result?.value === false
  })
}
