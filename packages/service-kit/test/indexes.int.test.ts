import { randomUUID } from 'node:crypto'
import mongoose, { type Connection } from 'mongoose'
import type { DatabaseConfig } from '../src/config/common.ts'
import { buildIndexes, indexesOfModel, missingIndexes, waitForIndexes } from '../src/mongo/indexes.ts'
import { connectDatabase, type Database } from '../src/mongo/database.ts'
import { silentLog } from '../src/logging/logger.ts'
import { createMetrics } from '../src/metrics/metrics.ts'
import { freePort } from '@gateway/testkit/child-service'
import { eventually } from '@gateway/testkit/eventually'

const schema = new mongoose.Schema({ _id: String, at: Date, owner: String }, { collection: 'entries' })
schema.index({ owner: 1, at: -1 })
schema.index({ at: 1 }, { name: 'newest', unique: true })
const indexesOf = (connection: Connection) => [indexesOfModel(connection.models['Entry'] ?? connection.model('Entry', schema))]

let config: DatabaseConfig
let database: Database
// Each test has a database of its own. When tests shared one, FerretDB under load sometimes (once in about a thousand times) answered
// "The specified collection 'entries' cannot be found" to an index build right after a test had dropped the collection.
beforeEach(async () => {
  config = { mongoUrl: process.env['MONGO_URL'] ?? '', database: `test_indexes_${randomUUID().slice(0, 8)}` }
  database = await connectDatabase({ url: config.mongoUrl, name: config.database, log: silentLog })
})
afterEach(async () => {
  await database.connection.dropDatabase()
  await database.close()
})
const missing = () => missingIndexes(database.connection, indexesOf(database.connection))
const start = async (port: number) => {
  await waitForIndexes(database, indexesOf, { host: '127.0.0.1', port, log: silentLog, metrics: createMetrics('test') })
}

// Proves: deploy/index-step
test('missing indexes are named; the index step builds them, and a second run does nothing', async () => {
  expect(await missing()).toEqual(['entries.owner_1_at_-1', 'entries.newest'])
  await buildIndexes(config, indexesOf, silentLog)
  expect(await missing()).toEqual([])
  await buildIndexes(config, indexesOf, silentLog)
  const found = await database.connection.collection('entries').listIndexes().toArray()
  expect(found.find(({ name }) => name === 'newest')).toMatchObject({ unique: true })
})

// Proves: deploy/index-step
test('an index under its name with another definition ends the step, and is left as it is', async () => {
  await database.connection.collection('entries').createIndex({ owner: 1 }, { name: 'newest' }, {})
  await expect(buildIndexes(config, indexesOf, silentLog)).rejects.toThrow()
  const found = await database.connection.collection('entries').listIndexes().toArray()
  expect(found.find(({ name }) => name === 'newest')).toMatchObject({ key: { owner: 1 } })
})

// Proves: deploy/not-ready-without-indexes
test('a service without its indexes is alive but not ready, names them, refuses work, and starts work once they exist', async () => {
  const port = await freePort()
  const get = async (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  let started = false
  const starting = start(port).then(() => (started = true))
  await eventually(async () => expect((await get('/healthz')).status).toBe(200))
  const ready = await get('/readyz')
  expect(ready.status).toBe(503)
  expect(await ready.json()).toMatchObject({
    checks: { database: 'up', 'index entries.newest': 'down', 'index entries.owner_1_at_-1': 'down' },
  })
  const refused = await get('/api/v1/order/search')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(started).toBe(false)

  await buildIndexes(config, indexesOf, silentLog)
  await starting
  await expect(get('/healthz')).rejects.toThrow()
})

test('with its indexes it waits for nothing', async () => {
  await buildIndexes(config, indexesOf, silentLog)
  await start(0)
})
