import { newTransactionId, type SearchOrderResponse } from '@gateway/contracts'
import { eventually, type JsonClient } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'
import { anOrderCreated } from './messages.ts'

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const search = (orderId: string) => merchant<SearchOrderResponse>('POST', '/api/v1/order/search', { order_id: orderId })

// Proves: broker/broker-away-creates-callbacks-still-succeed, faults/broker-away-loses-no-event
test('broker unavailable: callbacks still succeed, and every event is published when it is back', async () => {
  const { data } = await fixture.open()
  fixture.brokerProxy.cut()
  await eventually(async () => expect((await merchant('GET', '/readyz')).body).toMatchObject({ status: 'degraded' }))
  expect(await fixture.report({ tr: data.transaction_id })).toMatchObject({ status: 200 })
  expect((await search(data.order_id)).body.data.transaction.status).toBe('Success')
  fixture.brokerProxy.restore()
  await eventually(
    async () =>
      expect((await fixture.events(data.transaction_id)).map(({ data: { status } }) => status)).toEqual(['Initiate', 'Success']),
    { deadlineMs: 30_000 },
  )
})

// Proves: api/callback-503-try-again, faults/database-away-at-payment-status
test('database unavailable: 503 and the network tries again; orders wait in their queue, none is lost or dead-lettered', async () => {
  const { data } = await fixture.open()
  fixture.databaseProxy.cut()
  expect(await fixture.report({ tr: data.transaction_id })).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
  const waiting = anOrderCreated()
  await fixture.publish(JSON.stringify(waiting))
  fixture.databaseProxy.restore()
  await eventually(async () => expect(await fixture.report({ tr: data.transaction_id })).toMatchObject({ status: 200 }))
  await eventually(async () => expect(await fixture.document(waiting.data.transaction_id)).not.toBeNull(), { deadlineMs: 30_000 })
  expect(await fixture.sandbox.messageCount(fixture.queues.dead)).toBe(0)
})

// Proves: api/search-503-without-order-api
test('order-api unavailable: an unknown order is 503, never a false 404; a known one is found, without its customer', async () => {
  const { data } = await fixture.open()
  fixture.orderApi.answer(() => ({ status: 404, body: '<html>some proxy</html>' }))
  expect(await search('ORD-unknown')).toMatchObject({ status: 503, body: { code: 'order_api_unavailable' } })
  const unknown = newTransactionId(new Date(), 7)
  expect(await fixture.report({ tr: unknown })).toMatchObject({ status: 503 })
  expect(await search(data.order_id)).toMatchObject({
    status: 200,
    body: { data: { order: { customer: { id: null, name: null, email: null, phone: null } } } },
  })
})
