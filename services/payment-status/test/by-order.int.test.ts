import type { TransactionView } from '@gateway/contracts'
import { startFixture, type Fixture } from './fixture.ts'
import { anOrderCreated } from './messages.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const pathOf = (merchantId: string, orderId: string) => `/internal/v1/transactions/by-order-id/${merchantId}/${orderId}`
const find = (merchantId: string, orderId: string) => fixture.internal<TransactionView>('GET', pathOf(merchantId, orderId))

test('a transaction is found by merchant and order id, also before its order.created has arrived', async () => {
  const { data } = await fixture.open()
  expect(await find('M1', data.order_id)).toMatchObject({ status: 200, body: { id: data.transaction_id, status: 'Initiate' } })

  const unheard = anOrderCreated()
  fixture.known.set(unheard.data.transaction_id, unheard)
  expect(await find('M1', unheard.data.order_id)).toMatchObject({ status: 200, body: { id: unheard.data.transaction_id } })
})

test('concurrent searches each get their own transaction, also for repeated and unknown orders', async () => {
  const opened = await Promise.all(Array.from({ length: 30 }, () => fixture.open()))
  const wanted = [...opened, ...opened.slice(0, 5)].map(({ data }) => data)
  const found = await Promise.all(wanted.map(({ order_id: orderId }) => find('M1', orderId)))
  expect(found.map(({ body }) => body.id)).toEqual(wanted.map(({ transaction_id: id }) => id))
  const missing = await Promise.all(wanted.map(({ order_id: orderId }) => find('M2', orderId)))
  expect(new Set(missing.map(({ status }) => status))).toEqual(new Set([404]))
})

test("another merchant's order and an unknown order are not found", async () => {
  const { data } = await fixture.open()
  expect(await find('M2', data.order_id)).toMatchObject({ status: 404, body: { code: 'order_not_found' } })
  expect(await find('M1', 'ORD-NONE')).toMatchObject({ status: 404, body: { code: 'order_not_found' } })
})

test('text that is not an id never becomes part of a path to order-api', async () => {
  const before = fixture.orderApi.requests.length
  expect((await find('M1', '..%2F..%2Fhealthz')).status).toBe(422)
  expect((await find('M1%2F..', 'ORD-1')).status).toBe(422)
  expect(fixture.orderApi.requests).toHaveLength(before)
})

test("it needs the internal token, not a merchant's", async () => {
  const { data } = await fixture.open()
  const merchant = await fixture.as('M1')
  expect(await merchant('GET', pathOf('M1', data.order_id))).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
})
