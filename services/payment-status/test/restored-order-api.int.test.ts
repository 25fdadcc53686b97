/** order-api was restored alone, and has accepted a known order again, under another transaction. */
import { eventually } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'
import { anOrderCreated } from './messages.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

// Proves: operate/database-older-than-broker
test('the event is dead-lettered at once, a report of money is quarantined, and the first transaction stays', async () => {
  const first = await fixture.open()
  const again = anOrderCreated({ order_id: first.data.order_id })
  fixture.known.set(again.data.transaction_id, again)
  await fixture.publish(JSON.stringify(again))
  await eventually(async () => {
    expect(await fixture.sandbox.messageCount(fixture.queues.dead)).toBe(1)
    expect(await fixture.sandbox.messageCount(fixture.queues.orders)).toBe(0)
  })

  expect(await fixture.report({ tr: again.data.transaction_id })).toMatchObject({ status: 200 })
  const quarantine = fixture.sandbox.client.db(fixture.config.database).collection('quarantined_reports')
  expect(await quarantine.find({ reason: 'unknown_transaction' }).toArray()).toHaveLength(1)

  const merchant = await fixture.as('M1')
  expect(await merchant('POST', '/api/v1/order/search', { order_id: first.data.order_id })).toMatchObject({
    status: 200,
    body: { data: { transaction: { id: first.data.transaction_id, status: 'Initiate' } } },
  })
  expect((await fixture.report({ tr: first.data.transaction_id })).status).toBe(200)
  expect(await fixture.document(first.data.transaction_id)).toMatchObject({ status: 'Success' })
})
