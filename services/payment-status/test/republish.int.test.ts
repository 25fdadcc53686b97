import { newTransactionId } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { connectDatabase, type Database } from '@gateway/service-kit/mongo'
import { createSandbox, type Sandbox } from '@gateway/testkit'
import { openTransaction, unchanged } from '../src/payments/domain/transition.ts'
import { republishChanges } from '../src/exports/persistence/republish.ts'
import { refunding } from './refund-data.ts'
import { toDocument, type TransactionDocument } from '../src/payments/persistence/transaction-document.ts'
import { anOrderCreated } from './messages.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let sandbox: Sandbox
let database: Database
beforeAll(async () => {
  sandbox = await createSandbox()
  database = await connectDatabase({ url: sandbox.mongoUrl, name: sandbox.database('payment_status'), log: silentLog })
})
afterAll(async () => {
  await database.close()
  await sandbox.remove([])
})
beforeEach(async () => {
  await transactions().deleteMany({})
})

const transactions = () => database.connection.collection<TransactionDocument>('transactions')
const ago = (ms: number): Date => new Date(Date.now() - ms)
const republish = (since: Date): Promise<number> => republishChanges(database.connection, since, () => undefined)

/** Inserts a transaction with these times, whose events are published; with an end it is a `Success`. */
async function insert(opened: Date, ended?: Date): Promise<string> {
  const created = anOrderCreated({ created_at: opened.toISOString() })
  const document: TransactionDocument = { ...toDocument(openTransaction(created)), outbox: [] }
  const end = ended && { status: 'Success' as const, sequence: 2, updated_at: ended, final_at: ended }
  await transactions().insertOne({ ...document, ...end })
  return document._id
}

const waiting = async (): Promise<string[]> =>
  (await transactions().find().toArray()).flatMap(({ outbox }) => outbox.map(({ id }) => id)).toSorted()

// Proves: operate/republish-after-restore
test('every change since then, also of a transaction opened weeks before; earlier changes are left alone', async () => {
  const fresh = await insert(ago(2 * HOUR_MS), ago(HOUR_MS))
  const late = await insert(ago(20 * DAY_MS), ago(HOUR_MS))
  await insert(ago(20 * DAY_MS), ago(19 * DAY_MS))
  await insert(ago(2 * DAY_MS))
  expect(await republish(ago(3 * HOUR_MS))).toBe(3)
  expect(await waiting()).toEqual([`${fresh}.1`, `${fresh}.2`, `${late}.2`].toSorted())
})

// Proves: operate/republish-after-restore
test('a transaction opened after the start is left to the replica that opens it, so the command ends under load', async () => {
  await insert(new Date(Date.now() + HOUR_MS))
  expect(await republish(ago(HOUR_MS))).toBe(0)
})

test('a change is found by its own time, not by later writes', async () => {
  const id = await insert(ago(5 * HOUR_MS), ago(2 * HOUR_MS))
  await transactions().updateOne({ _id: id }, { $set: { updated_at: new Date() } })
  expect(await republish(ago(HOUR_MS))).toBe(0)
  expect(await republish(ago(3 * HOUR_MS))).toBe(1)
})

test('a change behind more than a page of other transactions is found', async () => {
  const opened = ago(2 * DAY_MS)
  const created = Array.from({ length: 5000 }, () => anOrderCreated({ created_at: opened.toISOString() }))
  await transactions().insertMany(created.map((one) => ({ ...toDocument(openTransaction(one)), outbox: [] })))
  const last = await insert(ago(DAY_MS), ago(HOUR_MS))
  expect(await republish(ago(2 * HOUR_MS))).toBe(1)
  expect(await waiting()).toEqual([`${last}.2`])
})

/** A payment of that time with a refund, which succeeded then. Both are published. */
async function insertRefunded(opened: Date, requested: Date, ended?: Date): Promise<string> {
  const id = await insert(opened, opened)
  const [refund] = refunding().refunds ?? []
  if (!refund) throw new Error('nothing is refunded')
  const end = ended ? { status: 'succeeded' as const, sequence: 2, pending_reason: null, completed_at: ended } : {}
  const updatedAt = ended ?? requested
  const refunds = [{ ...refund, created_at: requested, updated_at: updatedAt, ...end }]
  const captures = [{ reference: 'R1', amount_paise: 49_900, disposition: 'accepted' as const }]
  await transactions().updateOne({ _id: id }, { $set: { refunds, captures, updated_at: updatedAt } })
  return id
}

// Proves: operate/republish-after-restore
test('refunds since then, of payments of any age, and reversals', async () => {
  const fresh = await insertRefunded(ago(2 * DAY_MS), ago(2 * HOUR_MS), ago(HOUR_MS))
  const old = await insertRefunded(ago(170 * DAY_MS), ago(40 * DAY_MS), ago(HOUR_MS))
  await insertRefunded(ago(170 * DAY_MS), ago(4 * HOUR_MS))
  const reversal = { reference: 'R2', amount_paise: 100, reason: 'duplicate' as const, status: 'succeeded' as const, requests: 1 }
  const given = { ...reversal, rrn: null, requested_at: ago(5 * HOUR_MS), completed_at: ago(HOUR_MS), due_at: null }
  await transactions().updateOne({ _id: fresh }, { $set: { reversals: [given] } })
  expect(await republish(ago(3 * HOUR_MS))).toBe(4)
  expect(await waiting()).toEqual([`${fresh}R01.1`, `${fresh}R01.2`, `${fresh}.rev-R2.2`, `${old}R01.2`].toSorted())
})

test('refunded payments behind more than a page of others are found, also those of one millisecond', async () => {
  const opened = ago(170 * DAY_MS)
  const same = ago(2 * DAY_MS)
  const { _id: _, ...document } = { ...toDocument(unchanged(refunding())), updated_at: same }
  const many = Array.from({ length: 5001 }, () => newTransactionId(opened, document.slot))
  await transactions().insertMany(many.map((_id) => ({ ...document, _id, order_key: `M1:${_id}`, outbox: [] })))
  const last = await insertRefunded(opened, ago(HOUR_MS))
  // The one of them that comes last was requested then, too; the others have no event since.
  const { refunds = [] } = refunding()
  const ofMany = many.toSorted().at(-1) ?? ''
  await transactions().updateOne({ _id: ofMany }, { $set: { refunds: refunds.map((one) => ({ ...one, created_at: same })) } })
  expect(await republish(ago(3 * DAY_MS))).toBe(2)
  expect(await waiting()).toEqual([`${last}R01.1`, `${ofMany}R01.1`].toSorted())
})
