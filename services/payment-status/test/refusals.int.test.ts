/** Requests and messages that are refused, and change nothing. */
import type { SearchOrderResponse } from '@gateway/contracts'
import { eventually, type JsonClient } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'
import { anOrderCreated, sendCallback } from './messages.ts'

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const search = (orderId: string) => merchant<SearchOrderResponse>('POST', '/api/v1/order/search', { order_id: orderId })

// Proves: spec/4-2-post-api-v1-order, api/unknown-request-properties-refused
// Proves: api/order-not-found, faults/operator-objects
// Proves: faults/another-merchants-order
test('search: 404 for an unknown order and for another merchant’s, 422 for an invalid order_id', async () => {
  const { data } = await fixture.open()
  const other = await fixture.as('M2')
  expect(await search('ORD-none')).toMatchObject({ status: 404, body: { code: 'order_not_found' } })
  expect(await other('POST', '/api/v1/order/search', { order_id: data.order_id })).toMatchObject({ status: 404 })
  for (const body of [{}, { order_id: { $gt: '' } }, { order_id: 'a' }, { order_id: data.order_id, extra: 1 }]) {
    expect(await merchant('POST', '/api/v1/order/search', body)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed' },
    })
  }
})

// Proves: broker/poison-is-dead-lettered-at-once
test.each([
  ['not JSON', 'order'],
  ['an unknown version', JSON.stringify({ ...anOrderCreated(), version: 2 })],
])('%s is dead-lettered at once, with its reason', async (_name, body) => {
  const before = await fixture.sandbox.messageCount(fixture.queues.dead)
  await fixture.publish(body)
  await eventually(async () => expect(await fixture.sandbox.messageCount(fixture.queues.dead)).toBe(before + 1))
  expect(await fixture.sandbox.messageCount(fixture.queues.orders)).toBe(0)
})

// Proves: api/callback-signature
test.each([
  ['no signature', { 'webhook-signature': '' }],
  ['another signature', { 'webhook-signature': 'v1,AAAA' }],
  ['an old timestamp', { 'webhook-timestamp': '1' }],
])('a callback with %s is 401 and changes nothing', async (_name, headers) => {
  const { data } = await fixture.open()
  const body = JSON.stringify({ reference: 'R', tr: data.transaction_id, outcome: 'success', amount: '499.00', method: 'upi' })
  const client = await fixture.as('M1')
  expect(await sendCallback(client, body, headers)).toMatchObject({ status: 401, body: { code: 'signature_invalid' } })
  expect((await search(data.order_id)).body.data.transaction.status).toBe('Initiate')
})
