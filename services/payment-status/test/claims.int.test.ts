import type { Connection, mongo } from 'mongoose'
import { firstTransactionIdAt, slotDigits, slotOf, SLOTS } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { buildIndexes, connectDatabase, driverCollection, type Database } from '@gateway/service-kit/mongo'
import { createSandbox, type Sandbox } from '@gateway/testkit'
import { unrecorded } from '@gateway/testkit/queries/recorder'
import { OLDEST_EVERY } from '../src/payments/domain/claim-range.ts'
import { openTransaction } from '../src/payments/domain/transition.ts'
import { at, noon, orderCreatedEvent } from './data.ts'
import {
  indexesOf,
  toDocument,
  transactionModel,
  type TransactionDocument,
} from '../src/payments/persistence/transaction-document.ts'
import { makeClaimDue } from '../src/payments/persistence/claim-due.ts'
import { mongoFindOldestDue } from '../src/observing/overdue.ts'
import { mongoTransactionStore, type TransactionStore } from '../src/payments/persistence/transaction-store.ts'

const SILENT_RELAY = { submit: () => undefined }
const IGNORE_SLOT = () => undefined
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
  mongoTransactionStore(connectionOf(replica), SILENT_RELAY, IGNORE_SLOT)

/** Without chance: the first look is an ordinary one, and every draw takes the same ones. */
const partsOf = (replica: Database | undefined) => ({
  model: transactionModel(connectionOf(replica)),
  checkSlot: IGNORE_SLOT,
  random: () => 0,
})

/** The id of a transaction, which sorts by its number. */
const idAt = (number: number): string => firstTransactionIdAt(at(number)).slice(0, -2) + slotDigits((number * 5) % SLOTS)

/** The ids of what a replica claims. */
async function claim(transactions: Pick<TransactionStore, 'claimDue'>, now: Date, limit: number): Promise<string[]> {
  return (await transactions.claimDue(now, LEASE_MS, limit)).transactions.map(({ id }) => id)
}

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
        claimed.push(...(await claim(transactions, at(WAITING), 20)))
      return claimed
    }),
  )
  const all = claimedBy.flat()
  expect(all).toHaveLength(WAITING)
  expect(new Set(all).size).toBe(WAITING)
})

test('a claim is drawn from the longest due transactions, which are due again when the lease ends', async () => {
  await fill(50)
  const transactions = storeOf(replicas[0])
  const oldest = (await collection.find({ due_at: { $lt: at(20) } }).toArray()).map(({ _id }) => _id)
  const drawn = await claim(transactions, at(100), 5)
  expect(drawn).toHaveLength(5)
  expect(oldest).toEqual(expect.arrayContaining(drawn))
  expect(await claim(transactions, at(100), 100)).toHaveLength(45)
  const before = new Date(at(100).getTime() + LEASE_MS - 1)
  expect(await claim(transactions, before, 100)).toEqual([])
  expect(await claim(transactions, new Date(before.getTime() + 1), 100)).toHaveLength(50)
})

test('every sixteenth look of a replica claims the longest due of all', async () => {
  await fill(50)
  const transactions = { claimDue: makeClaimDue('due_at', partsOf(replicas[0])) }
  for (let look = 1; look < OLDEST_EVERY; look++) expect(await claim(transactions, at(-1), 5)).toEqual([])
  const oldest = (await collection.find({ due_at: { $lt: at(5) } }).toArray()).map(({ _id }) => _id)
  expect((await claim(transactions, at(100), 5)).toSorted()).toEqual(oldest.toSorted())
})

test('a replica whose claim was taken by another one goes on in a quarter of the slots, and is told that there is more', async () => {
  const parts = partsOf(replicas[0])
  for (let tries = 1; tries <= 20; tries++) {
    await fill(400)
    // Without chance both draw the same ones: the one whose update comes second gets nothing.
    const both = [makeClaimDue('due_at', parts), makeClaimDue('due_at', parts)]
    const claims = await Promise.all(both.map((one) => one(at(400), LEASE_MS, 20)))
    const loser = both[claims.findIndex(({ transactions }) => transactions.length === 0)]
    // Its look came after the other one's update.
    if (!loser) continue
    expect(claims.map(({ more }) => more)).toEqual([true, true])
    const { transactions } = await loser(at(400), LEASE_MS, 20)
    expect(transactions).toHaveLength(20)
    for (const { id } of transactions) expect(slotOf(id)).toBeLessThan(SLOTS / 4)
    return
  }
  throw new Error('their looks never coincided')
})

test('a claim returns the stored transaction and does not change it', async () => {
  await fill(1)
  const transactions = storeOf(replicas[0])
  const before = await transactions.find(idAt(0))
  expect(await transactions.claimDue(noon, LEASE_MS, 1)).toEqual({ transactions: [before], more: true })
  expect(await transactions.find(idAt(0))).toEqual(before)
})

test('the oldest due time is known until the transaction is claimed', async () => {
  await fill(3)
  const findOldestDue = mongoFindOldestDue(transactionModel(connectionOf(replicas[0])))
  expect(await findOldestDue(new Date(noon.getTime() - 1))).toBeUndefined()
  expect(await findOldestDue(at(100))).toEqual(noon)
  const transactions = storeOf(replicas[0])
  await transactions.claimDue(noon, 1_000_000, 1)
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
  expect(await unrecorded(() => claim(transactions, at(100), 10))).toContain(idAt(0))
  expect(told).toEqual([
    [idAt(0), 0],
    [idAt(1), 900],
  ])
  // By its id it is not found.
  expect(await transactions.find(idAt(1))).toBeUndefined()
})
