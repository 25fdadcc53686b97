/** Refunds of payment-status at the simulated network, for every behaviour of the sandbox. */
import { formatRefundId, type RefundResponse, type RefundView, type SearchOrderResponse } from '@gateway/contracts'
import { eventually, type JsonClient } from '@gateway/testkit'
import { startWithSimulator, type SimulatedNetwork } from './simulated-network.ts'

let world: SimulatedNetwork
let merchant: JsonClient
beforeAll(async () => {
  world = await startWithSimulator()
  merchant = await world.fixture.as('M1', ['read', 'refunds'])
})
afterAll(() => world.stop())

const refund = (order_id: string, refund_id: string, amount: string) =>
  merchant<RefundResponse & { code?: string; detail?: string }>('POST', '/api/v1/refunds', { order_id, refund_id, amount })
const find = async (id: string): Promise<RefundView> =>
  (await merchant<RefundResponse>('GET', `/api/v1/refunds/${id}`)).body.data.refund
const ends = (id: string, fields: object) => eventually(async () => expect(await find(id)).toMatchObject(fields))
const resolve = (id: string, outcome: string) => world.simulator('POST', `/sandbox/refunds/${id}/resolve`, { outcome })

interface Course {
  /** The pending refund, which the test checks before the tester decides. */
  readonly waits?: object
  readonly decided?: 'success' | 'failure'
  readonly ends: object
}

const succeeded = { status: 'succeeded', pending_reason: null, rrn: expect.stringMatching(/^\d{12}$/u), sequence: 2 }
const failed = { status: 'failed', pending_reason: null, rrn: null, sequence: 2 }
const processing = { status: 'pending', pending_reason: 'processing' }

// Proves: refunds/sandbox-behaviours
test.each<[vpa: string, Course]>([
  ['success@sandbox', { ends: succeeded }],
  ['success.slow-refund@sandbox', { waits: processing, ends: succeeded }],
  ['success.pending-refund@sandbox', { waits: processing, decided: 'success', ends: succeeded }],
  [
    'success.insufficient-refund@sandbox',
    { waits: { status: 'pending', pending_reason: 'insufficient_funds' }, decided: 'failure', ends: failed },
  ],
  ['success.refused-refund@sandbox', { ends: { ...failed, failure_code: 'instrument_blocked' } }],
  ['success.lost-refund@sandbox', { ends: succeeded }],
  ['success.silent-refund@sandbox', { waits: processing, ends: succeeded }],
  ['success.duplicate-refund@sandbox', { ends: succeeded }],
  ['success.returned-refund@sandbox', { ends: { status: 'returned', sequence: 3 } }],
])('%s', async (vpa, { waits, decided, ends: end }) => {
  const order = await world.paid({ vpa })
  const id = formatRefundId(order.transaction_id, 1)
  expect((await refund(order.order_id, 'RF-1', '200.00')).status).toBe(201)
  if (waits) await ends(id, waits)
  if (decided) expect((await resolve(id, decided)).status).toBe(202)
  await ends(id, end)
  const { status } = await find(id)
  expect(await world.ledgerOf(order.transaction_id)).toMatchObject([{ refund_id: id, status, amount: '200.00' }])
})

// Proves: refunds/sandbox-behaviours
test('a bank: the paise of each refund choose, and both ledgers agree', async () => {
  const order = await world.paid({ bank: 'PASS' })
  for (const [refundId, amount] of Object.entries({ slow: '100.91', refused: '100.92', lost: '100.93', ordinary: '100.00' })) {
    expect((await refund(order.order_id, refundId, amount)).status).toBe(201)
  }
  const id = (n: number) => formatRefundId(order.transaction_id, n)
  await ends(id(1), succeeded)
  await ends(id(2), failed)
  await ends(id(3), succeeded)
  await ends(id(4), succeeded)
  const search = await merchant<SearchOrderResponse>('POST', '/api/v1/order/search', { order_id: order.order_id })
  expect(search.body.data.transaction).toMatchObject({ amount_refunded: '301.84', amount_refundable: '197.16' })
  const ledger = await world.ledgerOf(order.transaction_id)
  expect(ledger.map(({ refund_id, status }) => [refund_id, status]).toSorted()).toEqual([
    [id(1), 'succeeded'],
    [id(2), 'failed'],
    [id(3), 'succeeded'],
    [id(4), 'succeeded'],
  ])
})
