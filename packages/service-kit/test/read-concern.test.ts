import { isDeepStrictEqual } from 'node:util'
import mongoose from 'mongoose'
import { startFakeReplicaSet, type FakeReplicaSet } from './fake-replica-set.ts'
import { silentLog } from '../src/logging/logger.ts'
import { connectDatabase, type Database } from '../src/mongo/database.ts'
import { driverCollection } from '../src/mongo/commands.ts'

/** A write that the primary has and no other member: a failover rolls it back. Only reads of the majority leave it out. */
const PHANTOM = { _id: 'order-1', status: 'Success' }

let replicaSet: FakeReplicaSet
let database: Database
beforeEach(async () => {
  replicaSet = await startFakeReplicaSet((command) => {
    if ('update' in command || 'delete' in command || 'insert' in command) return { n: 0 }
    const seen = isDeepStrictEqual(command['readConcern'], { level: 'majority' }) ? [] : [PHANTOM]
    return 'distinct' in command ? { values: seen } : 'count' in command ? { n: seen.length } : seen
  })
  database = await connectDatabase({ url: replicaSet.url, name: 'test', log: silentLog })
})
afterEach(async () => {
  await database.close()
  await replicaSet.stop()
})

// Proves: faults/failover-rolls-back-nothing-that-was-read
test('a write that a failover can roll back is seen by no read', async () => {
  const collection = driverCollection<{ _id: string; status: string }>(database.connection, 'orders')
  const schema = new mongoose.Schema({ _id: String, status: String }, { collection: 'orders', versionKey: false })
  const model = database.connection.model('Order', schema)
  const paid = { status: 'Success' }
  expect(await collection.find(paid).toArray()).toEqual([])
  expect(await collection.findOne(paid)).toBeNull()
  expect(await collection.aggregate([{ $match: paid }]).toArray()).toEqual([])
  expect(await collection.distinct('_id')).toEqual([])
  expect(await collection.countDocuments(paid)).toBe(0)
  expect(await collection.estimatedDocumentCount()).toBe(0)
  expect(await model.find(paid).sort({ _id: 1 }).limit(5).lean()).toEqual([])
  expect(await model.findOne(paid).lean()).toBeNull()
  expect(await model.findById('order-1').lean()).toBeNull()
  expect(await model.exists(paid)).toBeNull()
  expect(await model.countDocuments(paid, { limit: 10 })).toBe(0)
  expect(replicaSet.commands).toHaveLength(11)
})

// Proves: faults/failover-rolls-back-nothing-that-was-read
test('a write counts once a majority has it on disk, also a guarded update that changes nothing', async () => {
  const collection = driverCollection<{ _id: string; status: string }>(database.connection, 'orders')
  await collection.updateOne({ _id: 'order-1' }, { $set: { status: 'Failed' } })
  await collection.insertOne({ _id: 'order-2', status: 'Initiate' })
  await collection.deleteMany({ status: 'Failed' })
  for (const { writeConcern } of replicaSet.commands) expect(writeConcern).toEqual({ w: 'majority', j: true })
  expect(replicaSet.commands).toHaveLength(3)
})
