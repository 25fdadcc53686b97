import { silentLog } from '@gateway/service-kit'
import { connectDatabase } from '@gateway/service-kit/mongo'
import { jsonClient } from '@gateway/testkit'
import { mongoFindOldestDue } from '../src/observing/overdue.ts'
import { toDocument, transactionModel, type TransactionDocument } from '../src/payments/persistence/transaction-document.ts'
import { at, timing, T1 } from './data.ts'
import { applyReport } from '../src/payments/domain/reports.ts'
import { unchanged } from '../src/payments/domain/transition.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { refunding } from './refund-data.ts'

const DAY_MS = 86_400_000

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.stop())

const ago = (ms: number): Date => new Date(Date.now() - ms)

/** A stored transaction whose refund or reversal was requested then. Nothing is due, so that the workers leave it alone. */
async function insert(id: string, fields: Partial<TransactionDocument>): Promise<void> {
  const later = new Date(Date.now() + DAY_MS)
  const stored = { ...toDocument(unchanged(refunding())), ...fields }
  const transactions = fixture.sandbox.client.db(fixture.config.database).collection<TransactionDocument>('transactions')
  await transactions.insertOne({ ...stored, _id: id, order_key: `M1:${id}`, due_at: later, refunds_due_at: later })
}

function refundAt(requestedAt: Date, changes: object = {}) {
  const { refunds = [] } = refunding()
  return refunds.map((refund) => ({ ...refund, created_at: requestedAt, ...changes }))
}

async function gauges(): Promise<Record<string, string>> {
  const { body } = await jsonClient(fixture.url)<string>('GET', '/metrics')
  const found = body.matchAll(/^transaction_(reversals_overdue|reversals_due|refunds_overdue)\{[^}]*\} (.+)$/gmu)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]))
}

// Proves: refunds/waits-too-long-is-shown
test('refunds that are pending for seven days, and reversals from T + 4 on, are counted at each scrape', async () => {
  expect(await gauges()).toEqual({ reversals_overdue: '0', reversals_due: '0', refunds_overdue: '0' })
  const paid = applyReport(
    refunding(),
    { reference: 'R2', tr: T1, outcome: 'success', amount: '499.00', method: 'upi' },
    at(130),
    timing,
  )
  const [reversal] = paid.transaction.reversals
  if (!reversal) throw new Error('nothing is reversed')
  const reversing = (requestedAt: Date) => ({ reversals: [{ ...reversal, requested_at: requestedAt }], waits_since: requestedAt })
  await insert('T-old', { refunds: refundAt(ago(7 * DAY_MS + 60_000)) })
  await insert('T-fresh', { refunds: refundAt(ago(7 * DAY_MS - 60_000)) })
  await insert('T-ended', {
    refunds: [...refundAt(ago(9 * DAY_MS), { status: 'succeeded' }), ...refundAt(ago(DAY_MS), { n: 2 })],
  })
  expect(await gauges()).toEqual({ reversals_overdue: '0', reversals_due: '0', refunds_overdue: '1' })
  await insert('T-due', { refunds: [], ...reversing(ago(5 * DAY_MS)) })
  await insert('T-later', { refunds: [], ...reversing(ago(2 * DAY_MS)) })
  expect(await gauges()).toEqual({ reversals_overdue: '2', reversals_due: '1', refunds_overdue: '1' })
})

test('the lag is that of the oldest due work, refunds included', async () => {
  const database = await connectDatabase({ url: fixture.sandbox.mongoUrl, name: fixture.sandbox.database('lag'), log: silentLog })
  const find = mongoFindOldestDue(transactionModel(database.connection))
  const now = new Date()
  const stored = toDocument(unchanged(refunding()))
  const store = (id: string, dueAt: Date, refundsDueAt: Date) =>
    database.connection
      .collection<TransactionDocument>('transactions')
      .insertOne({ ...stored, _id: id, order_key: id, due_at: dueAt, refunds_due_at: refundsDueAt })
  const later = new Date(now.getTime() + DAY_MS)
  await store('T-later', later, later)
  expect(await find(now)).toBeUndefined()
  await store('T-due', ago(1000), later)
  await store('T-refund', later, new Date(now.getTime() - 5000))
  expect(await find(now)).toEqual(new Date(now.getTime() - 5000))
  await store('T-older', new Date(now.getTime() - 9000), later)
  expect(await find(now)).toEqual(new Date(now.getTime() - 9000))
  await database.close()
})

// Proves: refunds/waits-too-long-is-shown
test('while the database is away they are not a number', async () => {
  fixture.databaseProxy.cut()
  const away = { reversals_overdue: 'Nan', reversals_due: 'Nan', refunds_overdue: 'Nan' }
  expect(await gauges()).toEqual(away)
  fixture.databaseProxy.restore()
})
