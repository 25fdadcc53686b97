import type { RefundResponse, RefundsPage } from '@gateway/contracts'
import { eventually, type JsonClient } from '@gateway/testkit'
import { startRefundNetwork, type RefundNetwork } from '@gateway-services/payment-status/testing/refund-network'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let network: RefundNetwork
let refunder: JsonClient
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  network = startRefundNetwork(fixture.paymentStatus, { contract: 1, refunds: { window_days: 180, partial: true } })
  refunder = await fixture.paymentStatus.as('M1', ['refunds'])
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

async function paidOrder(): Promise<string> {
  const { data } = await fixture.paymentStatus.open()
  await fixture.paymentStatus.report({ tr: data.transaction_id, rrn: '123456789012' })
  return data.order_id
}
async function refund(order_id: string, refund_id: string, amount: string): Promise<string> {
  const { status, body } = await refunder<RefundResponse>('POST', '/api/v1/refunds', { order_id, refund_id, amount })
  expect(status).toBe(201)
  return body.data.refund.id
}
const list = async (query: Record<string, string>, as = merchant): Promise<RefundsPage> => {
  const { status, body } = await as<RefundsPage>('GET', `/api/v1/refunds?${new URLSearchParams(query).toString()}`)
  expect([status, body]).toMatchObject([200, { data: {} }])
  return body
}
const idsOf = async (query: Record<string, string>): Promise<string[]> => {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: RefundsPage = await list(cursor === '' ? query : { ...query, cursor })
    ids.push(...page.data.refunds.map(({ refund_id: id }) => id))
    cursor = page.next_cursor
  }
  return ids
}

// Proves: ledger/lists-refunds
test('refunds are listed newest first, by every filter; the order shows how much was given back', async () => {
  network.answer = ({ amount }) =>
    amount === '1.00' ? { status: 'failed', reason_code: 'instrument_blocked', rrn: '111111111111' } : {}
  const [one, other] = [await paidOrder(), await paidOrder()]
  const id = await refund(one, 'RF-1', '100.00')
  await refund(other, 'RF-2', '1.00')
  await refund(one, 'RF-3', '399.00')
  await refund(other, 'RF-4', '10.50')
  await eventually(async () => {
    const { refunds } = (await list({})).data
    expect(refunds.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'failed', 'succeeded'])
  })
  const all = ['RF-4', 'RF-3', 'RF-2', 'RF-1']
  const { created_at: third } = (await list({ amount_min: '399' })).data.refunds[0] ?? { created_at: '' }
  const cases: [Record<string, string>, string[]][] = [
    [{}, all],
    [{ order_id: one }, ['RF-3', 'RF-1']],
    [{ refund_id: 'RF-2' }, ['RF-2']],
    [{ refund_id: 'RF-2', order_id: other }, ['RF-2']],
    [{ refund_id: 'RF-2', order_id: one }, []],
    [{ refund_id: 'RF-2', limit: '1' }, ['RF-2']],
    [{ refund_id: 'RF-2', status: 'succeeded' }, []],
    [{ refund_id: 'RF-9' }, []],
    [{ status: 'failed' }, ['RF-2']],
    [{ status: 'pending' }, []],
    [{ rrn: '998877665544' }, ['RF-4', 'RF-3', 'RF-1']],
    [{ amount_min: '10.50', amount_max: '100' }, ['RF-4', 'RF-1']],
    [{ from: third }, ['RF-4', 'RF-3']],
    [{ to: third }, ['RF-2', 'RF-1']],
    [{ order_id: 'ORD-OF-NOBODY' }, []],
  ]
  for (const [query, expected] of cases)
    for (const limit of ['1', '3', '100'])
      expect([query, limit, await idsOf({ ...query, limit })]).toEqual([query, limit, expected])

  const [found] = (await list({ order_id: one, amount_max: '100' })).data.refunds
  const { body } = await refunder<RefundResponse>('GET', `/api/v1/refunds/${id}`)
  expect(found).toEqual(body.data.refund)
  const orders = await merchant<{ data: { orders: object[] } }>('GET', '/api/v1/orders?refund_state=full')
  expect(orders.body.data.orders).toMatchObject([{ order_id: one, refund_state: 'full', amount_refunded: '499.00' }])
  const partial = await merchant<{ data: { orders: object[] } }>('GET', '/api/v1/orders?refund_state=partial')
  expect(partial.body.data.orders).toMatchObject([{ order_id: other, amount_refunded: '10.50' }])
})

test('cursors belong to their filters and merchant; reading needs the scope read; queries are checked', async () => {
  const { next_cursor: cursor } = await list({ limit: '1' })
  const path = `/api/v1/refunds?limit=1&cursor=${cursor ?? ''}`
  expect(await merchant('GET', path)).toMatchObject({ status: 200 })
  expect(await merchant('GET', `${path}&status=failed`)).toMatchObject({ status: 422, body: { errors: [{ field: '/cursor' }] } })
  expect(await (await fixture.as('M2'))('GET', path)).toMatchObject({ status: 422 })
  expect((await list({}, await fixture.as('M2'))).data.refunds).toEqual([])
  // A cursor of the list of orders is not valid for refunds.
  const orders = await merchant<{ next_cursor: string }>('GET', '/api/v1/orders?limit=1')
  expect(await merchant('GET', `/api/v1/refunds?cursor=${orders.body.next_cursor}`)).toMatchObject({ status: 422 })
  const without = await fixture.as('M1', ['refunds'])
  expect(await without('GET', '/api/v1/refunds')).toMatchObject({ status: 403, body: { code: 'scope_missing' } })
  for (const query of [
    'from=2026-11-21T10:00:00',
    'limit=0',
    'limit=101',
    'cursor=x',
    'status=Done',
    'method=upi',
    'amount_min=1e3',
    'refund_id=x',
  ])
    expect([query, await merchant('GET', `/api/v1/refunds?${query}`)]).toMatchObject([query, { status: 422 }])
})
