/** With `STORED_INTENTS`, search and the hosted page show the UPI link that order-api has stored. */
import type { SearchOrderResponse, TransactionView } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture(undefined, silentLog, { storedIntents: true })))
afterAll(() => fixture.stop())

const search = async (orderId: string) =>
  (await (await fixture.as('M1'))<SearchOrderResponse>('POST', '/api/v1/order/search', { order_id: orderId })).body.checkout
const view = async (id: string) =>
  (await fixture.internal<TransactionView>('GET', `/internal/v1/transactions/${id}`)).body.checkout

// Proves: api/connector-intents-same-bytes
test('search and page show the link of order-api, which is asked once; the transaction does not store it', async () => {
  const { data } = await fixture.open()
  const intent = `upi://pay?tr=ACQ-${data.transaction_id}&am=499.00&cu=INR&sign=a%2B`
  expect((await search(data.order_id))?.intent).toBe(intent)
  expect((await view(data.transaction_id))?.intent).toBe(intent)
  expect(fixture.orderApi.requests.filter(({ path }) => path.endsWith('/intents'))).toHaveLength(1)
  expect(JSON.stringify(await fixture.document(data.transaction_id))).not.toContain('ACQ-')
})

test('without an answer of order-api no link is shown, and the next view asks again', async () => {
  const { data } = await fixture.open()
  fixture.known.delete(data.transaction_id)
  expect((await view(data.transaction_id))?.intent).toBe('')
  fixture.known.set(data.transaction_id, { ...(await fixture.open()), data })
  expect((await view(data.transaction_id))?.intent).toContain('ACQ-')
})

test('an order without UPI has no link, and order-api is not asked', async () => {
  const { data } = await fixture.open({ methods: ['card'] })
  const before = fixture.orderApi.requests.length
  expect((await view(data.transaction_id))?.intent).toBe('')
  expect(fixture.orderApi.requests.slice(before).filter(({ path }) => path.endsWith('/intents'))).toEqual([])
})
