import type { Connection, mongo } from 'mongoose'
import { firstTransactionIdAt, slotDigits } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { buildIndexes, connectDatabase, driverCollection, type Database } from '@gateway/service-kit/mongo'
import { createSandbox, type Sandbox } from '@gateway/testkit'
import { openTransaction } from '../src/payments/domain/transition.ts'
import { at, noon, orderCreatedEvent } from './data.ts'
import {
  indexesOf,
  toDocument,
  transactionModel,
  type TransactionDocument,
} from '../src/payments/persistence/transaction-document.ts'
import { mongoFindOldestDue } from '../src/observing/overdue.ts'
import { mongoTransactionStore, type TransactionStore } from '../src/payments/persistence/transaction-store.ts'

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
  collection = driverCollection(connectionOf(replicas[0]), 'transactions')
})
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()))
  await sandbox.remove([])
})

function connectionOf(replica: Database | undefined): Connection {
  if (!replica) throw new Error('there is no such replica')
  return replica.connection
}

const storeOf = (replica: Database | undefined): TransactionStore =>
  mongoTransactionStore(connectionOf(replica), SILENT_RELAY, () => undefined)

/** The id of a transaction, which sorts by its number. */
const idAt = (number: number): string => firstTransactionIdAt(at(number)).slice(0, -2) + slotDigits(number)

/** Inserts transactions that are due one second after the other, in another order than their ids. */
async function fill(count: number): Promise<void> {
  await collection.deleteMany({})
  const numbers = Array.from({ length: count }, (_, number) => number)
  const documents = numbers.map((number) => {
    const order = { transaction_id: idAt((number * 7) % count), order_id: `ORD-${number}` }
    return { ...toDocument(openTransaction(orderCreatedEvent(order))), due_at: at(number) }
  })
  await collection.insertMany(documents)
}

test('replicas that claim at the same time share the due transactions: each one goes to exactly one replica', async () => {
  await fill(WAITING)
  const claimedBy = await Promise.all(
    replicas.map(async (replica) => {
      const transactions = storeOf(replica)
      const claimed: string[] = []
      // A replica whose candidates were all claimed by others gets none, and tries again.
      while ((await collection.countDocuments({ due_at: { $exists: true, $lte: at(WAITING) } })) > 0)
        claimed.push(...(await transactions.claimDue(at(WAITING), LEASE_MS, 20)).map(({ id }) => id))
      return claimed
    }),
  )
  const all = claimedBy.flat()
  expect(all).toHaveLength(WAITING)
  expect(new Set(all).size).toBe(WAITING)
})

test('the longest due transaction is first, and is due again when the lease ends', async () => {
  await fill(50)
  const transactions = storeOf(replicas[0])
  const oldest = (await collection.find({ due_at: { $lt: at(20) } }).toArray()).map(({ _id }) => _id)
  const idsOf = (claimed: readonly { id: string }[]) => claimed.map(({ id }) => id).toSorted()
  expect(idsOf(await transactions.claimDue(at(100), LEASE_MS, 20))).toEqual(oldest.toSorted())
  expect(await transactions.claimDue(at(100), LEASE_MS, 100)).toHaveLength(30)
  const before = new Date(at(100).getTime() + LEASE_MS - 1)
  expect(await transactions.claimDue(before, LEASE_MS, 100)).toEqual([])
  expect(await transactions.claimDue(new Date(before.getTime() + 1), LEASE_MS, 100)).toHaveLength(50)
})

test('a claim returns the stored transaction and does not change it', async () => {
  await fill(1)
  const transactions = storeOf(replicas[0])
  const before = await transactions.find(idAt(0))
  expect(await transactions.claimDue(noon, LEASE_MS, 1)).toEqual([before])
  expect(await transactions.find(idAt(0))).toEqual(before)
})

test('the oldest due time is known until the transaction is claimed', async () => {
  await fill(3)
  const findOldestDue = mongoFindOldestDue(transactionModel(connectionOf(replicas[0])))
  expect(await findOldestDue(new Date(noon.getTime() - 1))).toBeUndefined()
  expect(await findOldestDue(at(100))).toEqual(noon)
  const transactions = storeOf(replicas[0])
  await transactions.claimDue(at(100), LEASE_MS, 1)
  expect(await findOldestDue(at(100))).toEqual(at(1))
  await transactions.claimDue(at(100), LEASE_MS, 2)
  expect(await findOldestDue(at(100))).toBeUndefined()
})

// Proves: scale/wrong-slot-is-reported
test('a due transaction whose slot is not that of its id is reported', async () => {
  await fill(2)
  await collection.updateOne({ _id: idAt(1) }, { $set: { slot: 900 } })
  const told: unknown[] = []
  const transactions = mongoTransactionStore(connectionOf(replicas[0]), SILENT_RELAY, (...document) => told.push(document))
  expect((await transactions.claimDue(at(100), LEASE_MS, 10)).map(({ id }) => id)).toContain(idAt(0))
  expect(told).toEqual([
    [idAt(0), 0],
    [idAt(1), 900],
  ])
  // By its id it is not found.
  expect(await transactions.find(idAt(1))).toBeUndefined()
})
