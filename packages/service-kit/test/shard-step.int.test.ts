import { randomUUID } from 'node:crypto'
import { SHARD_KEYS } from '@gateway/contracts'
import { connectDatabase, type Database } from '../src/mongo/database.ts'
import { indexesIn } from '../src/mongo/indexes.ts'
import { buildShardIndexes } from '../src/mongo/shard-step.ts'
import { silentLog } from '../src/logging/logger.ts'

let database: Database
beforeEach(async () => {
  const name = `test_shards_${randomUUID().slice(0, 8)}`
  database = await connectDatabase({ url: process.env['MONGO_URL'] ?? '', name, log: silentLog })
})
afterEach(async () => {
  await database.connection.dropDatabase()
  await database.close()
})
const keysOf = async (collection: string) => (await indexesIn(database.connection, collection)).map(({ key }) => key)

// Proves: scale/shard-indexes-step
test('each collection gets the index of its shard key, and the commands name the keys; a second run builds nothing', async () => {
  const { connection } = database
  for (const service of ['order-api', 'webhook-dispatcher', 'ledger'] as const) {
    const commands = await buildShardIndexes(connection, service)
    expect(commands).toEqual(
      Object.entries(SHARD_KEYS[service]).map(
        ([collection, key]) => `sh.shardCollection("${connection.name}.${collection}", ${JSON.stringify(key)})`,
      ),
    )
    expect(await buildShardIndexes(connection, service)).toEqual(commands)
  }
  expect(await keysOf('orders')).toEqual([{ _id: 1 }, { slot: 1, _id: 1 }])
  expect(await keysOf('deliveries')).toEqual([{ _id: 1 }, { merchant_id: 1, slot: 1 }])
  expect(await keysOf('entries')).toEqual([{ _id: 1 }, { _id: 'hashed' }])
  // The index that every collection has is enough.
  expect(await keysOf('payment_rrns')).toEqual([])
})

// Proves: scale/shard-indexes-step
test('a unique index that begins with the shard key is enough', async () => {
  const { connection } = database
  await connection.collection('transactions').createIndex({ slot: 1, order_key: 1 }, { name: 'order_key', unique: true }, {})
  expect(await buildShardIndexes(connection, 'payment-status')).toHaveLength(1)
  expect(await keysOf('transactions')).toEqual([{ _id: 1 }, { slot: 1, order_key: 1 }])
})
