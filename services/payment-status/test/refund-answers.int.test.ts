/** Refunds and the network's answers, also under concurrency. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatPaise } from '@gateway/contracts'
import { silentLog, stopAll } from '@gateway/service-kit'
import { eventually, jsonClient } from '@gateway/testkit'
import { startPaymentStatus } from '../src/service.ts'
import { sendCallback } from './messages.ts'
import type { RefundNetwork } from './refund-network.ts'
import { startRefundWorld, type RefundWorld } from './refund-world.ts'

let world: RefundWorld
beforeAll(async () => {
  world = await startRefundWorld()
})
afterAll(() => world.fixture.stop())
beforeEach(() => {
  world.network.answer = () => ({})
})

// Proves: refunds/only-a-clear-failed-releases, refunds/one-key-until-answered
test.each<[string, RefundNetwork['answer']]>([
  ['a 500', () => ({ status: 500 })],
  ['a 404', () => ({ status: 404 })],
  ['an HTML page', () => ({ status: 200, body: '<html>' })],
  ['a refusal of another refund', () => ({ status: 200, body: { refund_id: 'T1R01', status: 'failed', amount: '499.00' } })],
  ['a reset connection', () => 'reset'],
])('%s decides nothing: the same key is asked again, and nothing else is refunded meanwhile', async (_name, fault) => {
  const { orderId, transactionId } = await world.openPaid()
  const id = `${transactionId}R01`
  let faults = 3
  world.network.answer = (asked, count) => (asked.refund_id === id && faults-- > 0 ? fault(asked, count) : {})
  await world.request(orderId, 'RF-1', '499.00')
  await world.ends(id, { status: 'pending', pending_reason: 'no_answer' })
  expect((await world.request(orderId, 'RF-2', '0.01')).body.code).toBe('refund_exceeds_captured')
  await world.ends(id, { status: 'succeeded' })
  expect(world.network.asked.get(id)).toEqual(['request', 'request', 'request', 'request'])
})

// Proves: refunds/only-a-clear-failed-releases
test('a clear failed releases the money, with its reason', async () => {
  const { orderId, transactionId } = await world.openPaid()
  world.network.answer = ({ refund_id }) =>
    refund_id.endsWith('R01') ? { status: 'failed', reason_code: 'instrument_blocked' } : {}
  await world.request(orderId, 'RF-1', '499.00')
  await world.ends(`${transactionId}R01`, { status: 'failed', failure_code: 'instrument_blocked', sequence: 2 })
  expect((await world.request(orderId, 'RF-2', '499.00')).status).toBe(201)
  await world.ends(`${transactionId}R02`, { status: 'succeeded' })
  expect(await world.search(orderId)).toMatchObject({ amount_refunded: '499.00', amount_refundable: '0.00' })
})

test('a refund that the network works on is enquired, and ends by a callback, which may come twice', async () => {
  const { orderId, transactionId } = await world.openPaid()
  const id = `${transactionId}R01`
  world.network.answer = () => ({ status: 'pending', pending_reason: 'insufficient_funds' })
  await world.request(orderId, 'RF-1', '200')
  await world.ends(id, { status: 'pending', pending_reason: 'insufficient_funds' })
  await eventually(() => expect(world.network.asked.get(id)).toContain('enquire'))
  const client = jsonClient(world.fixture.url)
  const report = (status: string) => JSON.stringify({ refund_id: id, status, amount: '200.00', rrn: '111122223333' })
  const send = (body: string, headers = {}) => sendCallback(client, body, headers, '/network/v1/callbacks/refunds')
  expect((await send(report('succeeded'), { 'webhook-signature': 'v1,AAAA' })).status).toBe(401)
  expect((await send(report('succeeded'))).status).toBe(200)
  expect((await send(report('succeeded'))).status).toBe(200)
  await world.ends(id, { status: 'succeeded', rrn: '111122223333', sequence: 2 })
  expect((await send(report('returned'))).status).toBe(200)
  await world.ends(id, { status: 'returned', sequence: 3 })
  expect(await world.search(orderId)).toMatchObject({ amount_refunded: '0.00', amount_refundable: '499.00' })
  await eventually(async () =>
    expect((await world.eventsOf(transactionId)).map((event) => event.id)).toEqual([`${id}.1`, `${id}.2`, `${id}.3`]),
  )
  expect((await send(JSON.stringify({ refund_id: `${transactionId}R09`, status: 'failed', amount: '1.00' }))).body).toEqual({
    status: 'quarantined',
  })
})

// Proves: refunds/never-over-the-capture
test('two hundred parallel partial refunds on one capture, at two replicas: never more than the capture', async () => {
  const { orderId } = await world.openPaid()
  const other = await startPaymentStatus(world.fixture.config, silentLog)
  try {
    const atOther = jsonClient(`http://127.0.0.1:${other.port}`, await world.fixture.authorize('M1', ['refunds']))
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        for (;;) {
          const answer = await world.request(orderId, `RF-${index}`, '50.00', index % 2 === 0 ? world.merchant : atOther)
          if (answer.status !== 503) return answer
          await sleep(20)
        }
      }),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9)
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set([undefined, 'refund_exceeds_captured']))
    await eventually(async () =>
      expect(await world.search(orderId)).toMatchObject({ amount_refunded: '450.00', amount_refundable: '49.00' }),
    )
    const { id: transactionId } = await world.search(orderId)
    const ledger = [...world.network.paid.values()].filter(({ tr }) => tr === transactionId)
    expect(ledger).toHaveLength(9)
    expect(formatPaise(ledger.length * 5000)).toBe('450.00')
  } finally {
    await stopAll(silentLog, other.parts, 15_000)
  }
})
