import type { mongo } from 'mongoose'
import { startFakeReplicaSet, type FakeReplicaSet } from './fake-replica-set.ts'
import { toProblem } from '../src/http/problem.ts'
import { silentLog } from '../src/logging/logger.ts'
import { connectDatabase, type Database } from '../src/mongo/database.ts'
import { driverCollection, insertBatch } from '../src/mongo/commands.ts'

const TERMINATED = 'FATAL: terminating connection due to administrator command (SQLSTATE 57P01)'
const REFUSED = 'failed to connect to `host=127.0.0.1 user=ferretdb`: dial error: connect: connection refused'
const NO_MAJORITY = { code: 64, errmsg: 'waiting for replication timed out' }
const STEPPED_DOWN = { code: 189, errmsg: 'primary stepped down while waiting for replication' }

let answer: mongo.Document
let replicaSet: FakeReplicaSet
let database: Database
beforeAll(async () => {
  replicaSet = await startFakeReplicaSet(() => answer)
  database = await connectDatabase({ url: replicaSet.url, name: 'test', log: silentLog })
})
afterAll(async () => {
  await database.close()
  await replicaSet.stop()
})

const collection = () => driverCollection<{ _id: string; seen?: number }>(database.connection, 'orders')
const problemOf = (work: Promise<unknown>) => work.then(() => undefined, toProblem)
const refusedOne = (errmsg: string, code = 1) => ({ ok: 1, n: 0, nModified: 0, writeErrors: [{ index: 0, code, errmsg }] })

// Proves: faults/database-away-at-auth-token
test.each<[string, mongo.Document]>([
  ['the command fails since the connections behind the server end', { ok: 0, code: 1, errmsg: TERMINATED }],
  ['the command fails since there is no connection behind the server', { ok: 0, code: 1, errmsg: REFUSED }],
  ['the document is refused since the connections behind the server end', refusedOne(TERMINATED)],
  ['the document is refused since there is no connection behind the server', refusedOne(REFUSED)],
  ['the document is refused since this is no primary any more', refusedOne('not primary', 10107)],
  ['no majority confirms the write', { ok: 1, n: 1, nModified: 1, writeConcernError: NO_MAJORITY }],
  ['the primary steps down', { ok: 1, n: 1, nModified: 1, writeConcernError: STEPPED_DOWN }],
])('%s: 503 with Retry-After for a batch, an insert, an update, a bulk write and a read', async (_name, given) => {
  const away = { status: 503, code: 'database_unavailable', retryAfterSeconds: 1 }
  answer = given
  const [batch, single] = [await batchProblem(['order-1']), await problemOf(collection().insertOne({ _id: 'order-1' }))]
  const updated = await problemOf(collection().updateOne({ _id: 'order-1' }, { $set: { seen: 1 } }))
  const updateOne = { filter: { _id: 'order-1' }, update: { $set: { seen: 1 } } }
  const bulk = await problemOf(collection().bulkWrite([{ updateOne }], { ordered: true }))
  for (const problem of [batch, single, updated, bulk]) expect(problem).toMatchObject(away)
  if (given['ok'] === 0) expect(await problemOf(collection().findOne({}))).toMatchObject(away)
})

// Proves: faults/database-away-at-auth-token
test('a batch of which one document is stored and one is lost with the connection behind: 503 for that one only', async () => {
  answer = { ok: 1, n: 1, writeErrors: [{ index: 1, code: 1, errmsg: TERMINATED }] }
  const [stored, lost] = await insertBatch(collection(), [{ _id: 'order-1' }, { _id: 'order-2' }])
  expect(stored).toEqual({ status: 'fulfilled', value: true })
  expect(lost).toMatchObject({ status: 'rejected' })
  expect(toProblem(lost?.status === 'rejected' ? lost.reason : undefined)).toMatchObject({ status: 503, retryAfterSeconds: 1 })
})

test.each([
  ['a duplicate key', 11000, "E11000 duplicate key error, key: 'connection refused'"],
  ['a document that the server does not take', 121, 'Document failed validation'],
])('%s is an answer of a database that is there: 500 from an insert that does not expect it', async (_name, code, errmsg) => {
  answer = refusedOne(errmsg, code)
  expect(await problemOf(collection().insertOne({ _id: 'order-1' }))).toMatchObject({ status: 500, code: 'internal_error' })
})

/** The problem of the first document of a batch, refused alone or with the whole batch. */
async function batchProblem(ids: readonly string[]) {
  const inserted = insertBatch(collection(), ids.map((_id) => ({ _id }))) // prettier-ignore
  return problemOf(
    inserted.then(([first]) => {
      if (first?.status === 'rejected') throw first.reason
    }),
  )
}
