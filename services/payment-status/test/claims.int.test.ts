import type { mongo } from 'mongoose'
import { silentLog } from '@gateway/service-kit'
import { buildIndexes, connectDatabase, driverCollection, type Database } from '@gateway/service-kit/mongo'
import { createSandbox, type Sandbox } from '@gateway/testkit'
import { openTransaction } from '../src/domain/opening.ts'
import { at, noon, orderCreatedEvent } from '../src/domain/test-data.ts'
import { indexesOf } from '../src/persistence/indexes.ts'
import { mongoFindOldestDue } from '../src/persistence/overdue.ts'
import type { TransactionDocument } from '../src/persistence/transaction-model.ts'
import { mongoTransactions, toDocument } from '../src/persistence/transactions.ts'

const SILENT_RELAY = { submit: () => undefined }
const LEASE_MS = 30_000
const WAITING = 150

let sandbox: Sandbox
const replicas: Database[] = []
let collection: mongo.Collection<TransactionDocument>

beforeAll(async () => {
  sandbox = await createSandbox()
  const name = sandbox.database('payment_status')
  await buildIndexes({ mongoUrl: sandbox.mongoUrl, database: name }, indexesOf, silentLog)
  for (let count = 0; count < 4; count++) replicas.push(await connectDatabase({ url: sandbox.mongoUrl, name, log: silentLog }))
  collection = collectionOf(replicas[0])
})
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()))
  await sandbox.remove([])
})

function collectionOf(replica: Database | undefined): mongo.Collection<TransactionDocument> {
  if (!replica) throw new Error('there is no such replica')
  return driverCollection<TransactionDocument>(replica.connection, 'transactions')
}

/** Due one second after the other, in an order that has nothing to do with their ids. */
async function fill(count: number): Promise<void> {
  await collection.deleteMany({})
  const numbers = Array.from({ length: count }, (_, number) => number)
  const documents = numbers.map((number) => {
    const order = { transaction_id: `T${(number * 7) % count}`, order_id: `ORD-${number}` }
    return { ...toDocument(openTransaction(orderCreatedEvent(order))), dueAt: at(number) }
  })
  await collection.insertMany(documents)
}

test('replicas that look at the same time share what is due: each transaction goes to one of them, and all go', async () => {
  await fill(WAITING)
  const claimedBy = await Promise.all(
    replicas.map(async (replica) => {
      const transactions = mongoTransactions(collectionOf(replica), SILENT_RELAY)
      const claimed: string[] = []
      // One that finds what all others have just taken comes back with nothing, and looks again.
      while ((await collection.countDocuments({ dueAt: { $exists: true, $lte: at(WAITING) } })) > 0)
        claimed.push(...(await transactions.claimDue(at(WAITING), LEASE_MS, 20)).map(({ id }) => id))
      return claimed
    }),
  )
  const all = claimedBy.flat()
  expect(all).toHaveLength(WAITING)
  expect(new Set(all).size).toBe(WAITING)
})

test('what has waited longest is first, and is due again when the lease is over', async () => {
  await fill(50)
  const transactions = mongoTransactions(collection, SILENT_RELAY)
  const oldest = (await collection.find({ dueAt: { $lt: at(20) } }).toArray()).map(({ _id }) => _id)
  const idsOf = (claimed: readonly { id: string }[]) => claimed.map(({ id }) => id).toSorted()
  expect(idsOf(await transactions.claimDue(at(100), LEASE_MS, 20))).toEqual(oldest.toSorted())
  expect(await transactions.claimDue(at(100), LEASE_MS, 100)).toHaveLength(30)
  const before = new Date(at(100).getTime() + LEASE_MS - 1)
  expect(await transactions.claimDue(before, LEASE_MS, 100)).toEqual([])
  expect(await transactions.claimDue(new Date(before.getTime() + 1), LEASE_MS, 100)).toHaveLength(50)
})

test('what is claimed is the transaction as it is stored, and a claim changes nothing of it', async () => {
  await fill(1)
  const transactions = mongoTransactions(collection, SILENT_RELAY)
  const before = await transactions.find('T0')
  expect(await transactions.claimDue(noon, LEASE_MS, 1)).toEqual([before])
  expect(await transactions.find('T0')).toEqual(before)
})

test('how late the work is, is known until it is claimed', async () => {
  await fill(3)
  const findOldestDue = mongoFindOldestDue(collection)
  expect(await findOldestDue(new Date(noon.getTime() - 1))).toBeUndefined()
  expect(await findOldestDue(at(100))).toEqual(noon)
  const transactions = mongoTransactions(collection, SILENT_RELAY)
  await transactions.claimDue(at(100), LEASE_MS, 1)
  expect(await findOldestDue(at(100))).toEqual(at(1))
  await transactions.claimDue(at(100), LEASE_MS, 2)
  expect(await findOldestDue(at(100))).toBeUndefined()
})
