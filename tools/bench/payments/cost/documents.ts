import { mongo } from 'mongoose'
import { eventIds } from '../settle.ts'
import type { Counters } from './counters.ts'

const SAMPLED = 200

interface Stored {
  readonly _id: string
  readonly transactionId?: string
  readonly tr?: string
}

/** How large what is kept of one payment is, by collection, in bytes of BSON: a mean of some that are over. */
export async function measureDocuments(
  client: mongo.MongoClient,
  databasePrefix: string,
  paidIds: readonly string[],
): Promise<Counters> {
  const ids = paidIds.slice(-SAMPLED)
  const events = [...eventIds(ids, 1), ...eventIds(ids, 2)]
  const sizes: Record<string, number> = {}
  const measure = async (database: string, collection: string, filter: mongo.Filter<Stored>): Promise<void> => {
    const found = await client.db(`${databasePrefix}${database}`).collection<Stored>(collection).find(filter).toArray()
    const bytes = found.reduce((sum, document) => sum + mongo.BSON.calculateObjectSize(document), 0)
    sizes[`${database}.${collection}`] = bytes / ids.length
  }
  await measure('order_api', 'orders', { transactionId: { $in: ids } })
  await measure('payment_status', 'transactions', { _id: { $in: ids } })
  await measure('webhook_dispatcher', 'deliveries', { _id: { $in: events } })
  await measure('network_simulator', 'payments', { tr: { $in: ids } })
  return sizes
}
