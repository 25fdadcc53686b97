import { connectBroker, createPublisher } from '@gateway/messaging'
import { eventually } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, aRefund, registerEndpoint } from './builders.ts'
import { log, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  const counts = fixture.sandbox.client.db(fixture.database).collection<{ _id: string; consumed: number }>('partitions')
  await counts.insertOne({ _id: 'counts', consumed: 4 })
  dispatcher = await fixture.start()
})
afterAll(() => fixture.remove())

// Proves: broker/partitions-open-for-all-at-once
test('status changes of payments and refunds are delivered from every partition that is recorded', async () => {
  const { sandbox, declared } = fixture
  const merchantId = 'mer_partitions'
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, fixture.receiver.url)
  await api('PUT', '/api/v1/webhooks/refund-endpoint', { url: fixture.receiver.url })
  // As payment-status connects to the broker when four partitions are open.
  const opened = { service: 'payment-status', partitions: () => ({ consumed: 1, open: 4 }) } as const
  const broker = connectBroker({ url: sandbox.amqpUrl, name: 'publisher', log, topology: declared, ...opened })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 30_000, maxInFlight: 10, log })
  await eventually(() => expect(publisher.state).toBe('up'))
  const events = [anEvent(merchantId), aRefund(merchantId)]
  for (const event of events)
    await publisher.publish({
      exchange: declared.exchanges.events.name,
      routingKey: `${event.type}.3`,
      messageId: event.id,
      type: event.type,
      correlationId: event.correlation_id,
      body: JSON.stringify(event),
      timestampMs: Date.now(),
    })
  for (const { id } of events) await fixture.deliveryIs(id, 'delivered')
  await broker.close()
})
