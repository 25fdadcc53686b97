import type { mongo } from 'mongoose'
import { byId, insertBatch, storedIds } from '@gateway/service-kit/mongo'

interface Document extends mongo.Document {
  readonly _id: string
}

/** A copy of something at payment-status. Of two copies with one `_id`, the one with the higher version is newer. */
interface Copy extends Document {
  readonly version: number
}

/** A copy of a collection that is sharded by these two (contracts, `SHARD_KEYS`). */
interface CopyOfMerchant extends Copy {
  readonly merchant_id: string
  readonly slot: number
}

const FIRST_VERSION = 1

type Operation<T extends Document> = mongo.AnyBulkWriteOperation<T>

/**
 * Stores each copy unless a newer one is stored. Reads which of them are stored (first copies are taken to be new), inserts those that are not, and sends
 * `replaceOlder` for the others: three commands at most. Without the read, FerretDB would insert a batch with one stored document
 * in it document by document.
 *
 * @param replaceOlder at most one of the operations changes something; none does when the stored copy is as new or newer
 * @param shardKeyOf filter for the part of the shard key that the copies have, beside their ids
 */
export async function storeNewer<T extends Copy>(
  collection: mongo.Collection<T>,
  copies: readonly T[],
  replaceOlder: (copy: T) => readonly Operation<T>[],
  shardKeyOf: (copies: readonly T[]) => mongo.Filter<T> = () => ({}),
): Promise<void> {
  const inOrder = copies.toSorted((one, other) => one.version - other.version)
  // `Map` keeps the last copy of each id.
  const newest = [...new Map(inOrder.map((copy) => [copy._id, copy])).values()]
  // A first copy is stored already only if its event came twice.
  const later = newest.filter(({ version }) => version > FIRST_VERSION)
  const isStored = await storedIds(
    collection,
    later.map(({ _id }) => _id),
    shardKeyOf(later),
  )
  const known = newest.filter(({ _id }) => isStored.has(_id))
  // Another replica may have stored some of them since the read.
  const meanwhile = await insertAbsent(
    collection,
    newest.filter(({ _id }) => !isStored.has(_id)),
  )
  const changes = [...known, ...meanwhile].toSorted(byId).flatMap(replaceOlder)
  if (changes.length > 0) await collection.bulkWrite(changes, { ordered: false })
}

/** The same for whole copies of a merchant's documents. */
export async function storeNewerOfMerchants<T extends CopyOfMerchant>(
  collection: mongo.Collection<T>,
  copies: readonly T[],
): Promise<void> {
  await storeNewer(collection, copies, replaceWhole, (all) => {
    const [merchants, slots] = [new Set(all.map(({ merchant_id }) => merchant_id)), new Set(all.map(({ slot }) => slot))]
    return { merchant_id: { $in: [...merchants] }, slot: { $in: [...slots] } } as mongo.Filter<T>
  })
}

function replaceWhole<T extends CopyOfMerchant>(copy: T): readonly Operation<T>[] {
  const { _id, merchant_id, slot, version } = copy
  const older = { merchant_id, slot, _id, version: { $lt: version } } as mongo.Filter<T>
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
