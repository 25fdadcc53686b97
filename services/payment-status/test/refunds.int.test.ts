import { setTimeout as sleep } from 'node:timers/promises'
import {
  formatPaise,
  refundStatusChanged,
  type RefundResponse,
  type RefundStatusChanged,
  type RefundView,
  type SearchOrderResponse,
} from '@gateway/contracts'
import { silentLog, stopAll } from '@gateway/service-kit'
import { eventually, jsonClient, type JsonAnswer, type JsonClient } from '@gateway/testkit'
import { startPaymentStatus } from '../src/service.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { sendCallback } from './messages.ts'
import { startRefundNetwork, type RefundNetwork } from './refund-network.ts'

const CAPABILITIES = { contract: 2, refunds: { window_days: 180, partial: true } }

let fixture: Fixture
let network: RefundNetwork
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  network = startRefundNetwork(fixture, CAPABILITIES)
  merchant = await fixture.as('M1', ['read', 'refunds'])
})
afterAll(() => fixture.stop())
beforeEach(() => {
  network.answer = () => ({})
})

async function openPaid(): Promise<{ orderId: string; transactionId: string }> {
  const { data } = await fixture.open()
  await fixture.report({ tr: data.transaction_id, rrn: '123456789012' })
  return { orderId: data.order_id, transactionId: data.transaction_id }
}

type Answer = JsonAnswer<RefundResponse & { code?: string; detail?: string }>
const request = (order_id: string, refund_id: string, amount: string, by = merchant, more = {}): Promise<Answer> =>
  by('POST', '/api/v1/refunds', { order_id, refund_id, amount, ...more })
const find = async (id: string): Promise<RefundView> =>
  (await merchant<RefundResponse>('GET', `/api/v1/refunds/${id}`)).body.data.refund
const search = async (orderId: string) =>
  (await merchant<SearchOrderResponse>('POST', '/api/v1/order/search', { order_id: orderId })).body.data.transaction
const ends = (id: string, fields: object) => eventually(async () => expect(await find(id)).toMatchObject(fields))

const seen = new Map<string, RefundStatusChanged>()
async function eventsOf(transactionId: string): Promise<RefundStatusChanged[]> {
  for (const event of await fixture.sandbox.takeAll<RefundStatusChanged>(fixture.queues.refundEvents)) seen.set(event.id, event)
  return [...seen.values()].filter(({ data }) => data.transaction_id === transactionId).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

// Proves: refunds/accepted-in-the-capture-document, refunds/original-instrument-only
test('a refund is accepted, paid once by the network, told by events and found by search', async () => {
  const { orderId, transactionId } = await openPaid()
  const { status, body } = await request(orderId, 'RF-1', '200', merchant, { reason: 'returned', note: 'too small' })
  expect(status).toBe(201)
  const { refund } = body.data
  expect(refund).toMatchObject({
    id: `${transactionId}R01`,
    refund_id: 'RF-1',
    order_id: orderId,
    transaction_id: transactionId,
    amount: '200.00',
    currency: 'INR',
    status: 'pending',
    pending_reason: 'queued',
    failure_code: null,
    rrn: null,
    sequence: 1,
    reason: 'returned',
    note: 'too small',
    completed_at: null,
  })
  await ends(refund.id, { status: 'succeeded', pending_reason: null, rrn: '998877665544', sequence: 2 })
  expect(network.paid.get(refund.id)).toMatchObject({ reference: `REF-${transactionId}`, tr: transactionId, amount: '200.00' })
  expect(network.asked.get(refund.id)).toEqual(['request'])
  const found = await search(orderId)
  expect(found).toMatchObject({ status: 'Success', sequence: 2, amount_refunded: '200.00', amount_refundable: '299.00' })
  expect(found.refunds).toEqual([await find(refund.id)])
  await eventually(async () => expect(await eventsOf(transactionId)).toHaveLength(2))
  const [first, second] = await eventsOf(transactionId)
  expect([refundStatusChanged(first), refundStatusChanged(second)]).toEqual([true, true])
  expect(first).toMatchObject({ id: `${refund.id}.1`, data: { status: 'pending', refunded_paise: 0 } })
  expect(second).toMatchObject({
    id: `${refund.id}.2`,
    data: { status: 'succeeded', refunded_paise: 20_000, captured_paise: 49_900 },
  })
})

// Proves: refunds/same-request-same-refund
test('the same fields again give the same refund with 200, other fields 409', async () => {
  const { orderId } = await openPaid()
  const { body } = await request(orderId, 'RF-1', '499')
  const again = await request(orderId, 'RF-1', '499.00')
  expect([again.status, again.body.data.refund.id]).toEqual([200, body.data.refund.id])
  const other = await request(orderId, 'RF-1', '498')
  expect([other.status, other.body.code]).toEqual([409, 'refund_id_conflict'])
  expect(network.paid.size).toBeGreaterThan(0)
})

// Proves: refunds/refusals
test('refusals: unknown or foreign order, not paid, too much, no amount, no scope', async () => {
  const { orderId, transactionId } = await openPaid()
  const { data: unpaid } = await fixture.open()
  const stranger = await fixture.as('M2', ['refunds'])
  const reader = await fixture.as('M1', ['read'])
  const refused = async (answer: Promise<Answer>, status: number, code: string) =>
    expect(await answer).toMatchObject({ status, body: { code } })
  await refused(request('ORD-unknown', 'RF-1', '1'), 404, 'order_not_found')
  await refused(request(orderId, 'RF-1', '1', stranger), 404, 'order_not_found')
  await refused(request(unpaid.order_id, 'RF-1', '1'), 409, 'order_not_refundable')
  await refused(request(orderId, 'RF-1', '499.01'), 409, 'refund_exceeds_captured')
  expect((await request(orderId, 'RF-1', '499.01')).body.detail).toContain('499.00')
  await refused(request(orderId, 'RF-1', '0.00'), 422, 'validation_failed')
  await refused(request(orderId, 'RF-1', '1.001'), 422, 'validation_failed')
  await refused(merchant('POST', '/api/v1/refunds', { order_id: orderId, refund_id: 'RF-1' }), 422, 'validation_failed')
  await refused(
    merchant('POST', '/api/v1/refunds', { order_id: orderId, refund_id: 'RF-1', amount: 200 }),
    422,
    'validation_failed',
  )
  await refused(request(orderId, 'RF-1', '1', reader), 403, 'scope_missing')
  await refused(stranger('GET', `/api/v1/refunds/${transactionId}R01`), 404, 'refund_not_found')
  await refused(merchant('GET', `/api/v1/refunds/${transactionId}R01`), 404, 'refund_not_found')
  await request(orderId, 'RF-1', '1')
  await refused(stranger('GET', `/api/v1/refunds/${transactionId}R01`), 404, 'refund_not_found')
  expect((await reader('GET', `/api/v1/refunds/${transactionId}R01`)).status).toBe(200)
})

// Proves: refunds/refusals
test('too old, and one refund too many', async () => {
  const { orderId, transactionId } = await openPaid()
  for (let n = 1; n <= 20; n++) expect((await request(orderId, `RF-${n}`, '1')).status).toBe(201)
  expect((await request(orderId, 'RF-21', '1')).body.code).toBe('too_many_refunds')
  await ends(`${transactionId}R20`, { status: 'succeeded' })
  const { orderId: oldOrder, transactionId: old } = await openPaid()
  const transactions = fixture.sandbox.client.db(fixture.config.database).collection<{ _id: string }>('transactions')
  await transactions.updateOne({ _id: old }, { $set: { finalAt: new Date(Date.now() - 181 * 86_400_000) } })
  expect((await request(oldOrder, 'RF-1', '1')).body.code).toBe('refund_window_closed')
})

// Proves: refunds/only-a-clear-failed-releases, refunds/one-key-until-answered
test.each<[string, RefundNetwork['answer']]>([
  ['a 500', () => ({ status: 500 })],
  ['a 404', () => ({ status: 404 })],
  ['an HTML page', () => ({ status: 200, body: '<html>' })],
  ['a refusal of another refund', () => ({ status: 200, body: { refund_id: 'T1R01', status: 'failed', amount: '499.00' } })],
  ['a reset connection', () => 'reset'],
])('%s decides nothing: the same key is asked again, and nothing else is refunded meanwhile', async (_name, fault) => {
  const { orderId, transactionId } = await openPaid()
  const id = `${transactionId}R01`
  let faults = 3
  network.answer = (asked, count) => (asked.refund_id === id && faults-- > 0 ? fault(asked, count) : {})
  await request(orderId, 'RF-1', '499.00')
  await ends(id, { status: 'pending', pending_reason: 'no_answer' })
  expect((await request(orderId, 'RF-2', '0.01')).body.code).toBe('refund_exceeds_captured')
  await ends(id, { status: 'succeeded' })
  expect(network.asked.get(id)).toEqual(['request', 'request', 'request', 'request'])
})

// Proves: refunds/only-a-clear-failed-releases
test('a clear failed releases the money, with its reason', async () => {
  const { orderId, transactionId } = await openPaid()
  network.answer = ({ refund_id }) => (refund_id.endsWith('R01') ? { status: 'failed', reason_code: 'instrument_blocked' } : {})
  await request(orderId, 'RF-1', '499.00')
  await ends(`${transactionId}R01`, { status: 'failed', failure_code: 'instrument_blocked', sequence: 2 })
  expect((await request(orderId, 'RF-2', '499.00')).status).toBe(201)
  await ends(`${transactionId}R02`, { status: 'succeeded' })
  expect(await search(orderId)).toMatchObject({ amount_refunded: '499.00', amount_refundable: '0.00' })
})

test('a refund that the network works on is enquired, and ends by a callback, which may come twice', async () => {
  const { orderId, transactionId } = await openPaid()
  const id = `${transactionId}R01`
  network.answer = () => ({ status: 'pending', pending_reason: 'insufficient_funds' })
  await request(orderId, 'RF-1', '200')
  await ends(id, { status: 'pending', pending_reason: 'insufficient_funds' })
  await eventually(() => expect(network.asked.get(id)).toContain('enquire'))
  const client = jsonClient(fixture.url)
  const report = (status: string) => JSON.stringify({ refund_id: id, status, amount: '200.00', rrn: '111122223333' })
  const send = (body: string, headers = {}) => sendCallback(client, body, headers, '/network/v1/callbacks/refunds')
  expect((await send(report('succeeded'), { 'webhook-signature': 'v1,AAAA' })).status).toBe(401)
  expect((await send(report('succeeded'))).status).toBe(200)
  expect((await send(report('succeeded'))).status).toBe(200)
  await ends(id, { status: 'succeeded', rrn: '111122223333', sequence: 2 })
  expect((await send(report('returned'))).status).toBe(200)
  await ends(id, { status: 'returned', sequence: 3 })
  expect(await search(orderId)).toMatchObject({ amount_refunded: '0.00', amount_refundable: '499.00' })
  await eventually(async () =>
    expect((await eventsOf(transactionId)).map((event) => event.id)).toEqual([`${id}.1`, `${id}.2`, `${id}.3`]),
  )
  expect((await send(JSON.stringify({ refund_id: `${transactionId}R09`, status: 'failed', amount: '1.00' }))).body).toEqual({
    status: 'quarantined',
  })
})

// Proves: refunds/never-over-the-capture
test('two hundred parallel partial refunds on one capture, at two replicas: never more than the capture', async () => {
  const { orderId } = await openPaid()
  const other = await startPaymentStatus(fixture.config, silentLog)
  try {
    const atOther = jsonClient(`http://127.0.0.1:${other.port}`, await fixture.authorize('M1', ['refunds']))
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        for (;;) {
          const answer = await request(orderId, `RF-${index}`, '50.00', index % 2 === 0 ? merchant : atOther)
          if (answer.status !== 503) return answer
          await sleep(20)
        }
      }),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9)
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set([undefined, 'refund_exceeds_captured']))
    await eventually(async () =>
      expect(await search(orderId)).toMatchObject({ amount_refunded: '450.00', amount_refundable: '49.00' }),
    )
    const { id: transactionId } = await search(orderId)
    const ledger = [...network.paid.values()].filter(({ tr }) => tr === transactionId)
    expect(ledger).toHaveLength(9)
    expect(formatPaise(ledger.length * 5000)).toBe('450.00')
  } finally {
    await stopAll(silentLog, other.parts, 15_000)
  }
})

// Proves: refunds/survive-older-replicas
test('a write of a replica that knows no refunds keeps them', async () => {
  const { orderId, transactionId } = await openPaid()
  network.answer = () => ({ status: 'pending' })
  await request(orderId, 'RF-1', '200')
  await ends(`${transactionId}R01`, { pending_reason: 'processing' })
  const transactions = fixture.sandbox.client
    .db(fixture.config.database)
    .collection<{ _id: string; version: number }>('transactions')
  // It sets the fields that it knows, guarded by the version.
  for (let tries = 0, matched = 0; matched === 0 && tries < 50; tries++) {
    const stored = await transactions.findOne({ _id: transactionId })
    const version = stored?.version ?? 0
    const known = { seenReports: [], reversals: [], version: version + 1, updatedAt: new Date() }
    matched = (await transactions.updateOne({ _id: transactionId, version }, { $set: known })).matchedCount
  }
  network.answer = () => ({})
  await ends(`${transactionId}R01`, { status: 'succeeded' })
})

// Proves: refunds/not-supported-by-version-1
test('a connector of version 1 makes no refunds', async () => {
  const old = await startFixture()
  try {
    startRefundNetwork(old, null)
    const { data } = await old.open()
    await old.report({ tr: data.transaction_id })
    const client = await old.as('M1', ['refunds'])
    expect(await request(data.order_id, 'RF-1', '1', client)).toMatchObject({
      status: 409,
      body: { code: 'refunds_not_supported' },
    })
  } finally {
    await old.stop()
  }
})
