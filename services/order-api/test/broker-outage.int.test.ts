/** The broker dies between the insert of an order and the publish of its event: the outbox keeps the event. */
import type { CreateOrderResponse } from '@gateway/contracts'
import {
  MAYBE_PUBLISHED_HEADER,
  connectBroker,
  consume,
  createPublisher,
  eventTopology,
  type Broker,
  type IncomingMessage,
  type Publisher,
} from '@gateway/messaging'
import { silentLog } from '@gateway/service-kit'
import { anOrder, eventually, publisherAround } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let reader: Broker
const received: IncomingMessage[] = []
/** What the order's document held when its event was about to be published, and the broker's connections were cut. */
const seenAtCut: (Record<string, unknown> | undefined)[] = []

function cutBeforePublish(real: Publisher): Publisher {
  return publisherAround(real, async (message) => {
    if (seenAtCut.length === 0) {
      seenAtCut.push(
        (await fixture.documents()).find(({ transaction_id }) => message.messageId === `${String(transaction_id)}.0`),
      )
      fixture.brokerProxy.cut()
      await eventually(() => expect(real.state).toBe('down'))
    }
    await real.publish(message)
  })
}

beforeAll(async () => {
  fixture = await startFixture(cutBeforePublish)
  // The reader is connected past the proxy: it would see an event that reached the broker.
  const topology = eventTopology(fixture.config.amqpPrefix)
  reader = connectBroker({ url: fixture.sandbox.amqpUrl, name: 'test', log: silentLog, topology })
  consume(reader, {
    queue: topology.queues.orderCreated,
    prefetch: 10,
    handle: async (message) => {
      received.push(message)
      return 'ack'
    },
    publisher: createPublisher(reader, { confirmTimeoutMs: 5000, maxInFlight: 10, log: silentLog }),
    log: silentLog,
  })
})
afterAll(async () => {
  await reader.close()
  await fixture.stop()
})

// Proves: faults/broker-dies-between-insert-and-publish
test('the create answers 201, the event stays in the outbox, and exactly this event arrives when the broker is back', async () => {
  const merchant = await fixture.as('M1')
  const order = anOrder()
  const { status, body } = await merchant<CreateOrderResponse>('POST', '/api/v1/orders/create', order)
  expect(status).toBe(201)
  const eventId = `${body.data.transaction.id}.0`

  await eventually(() => expect(seenAtCut).toHaveLength(1))
  expect(seenAtCut).toEqual([expect.objectContaining({ outbox: [expect.objectContaining({ id: eventId })] })])
  await eventually(async () => expect((await merchant('GET', '/readyz')).body).toMatchObject({ checks: { broker: 'down' } }))
  const stored = (await fixture.documents()).find(({ _id }) => _id === `M1:${order.order_id}`)
  expect(stored).toMatchObject({ outbox: [{ id: eventId, type: 'order.created' }] })
  expect(received).toEqual([])

  fixture.brokerProxy.restore()
  await eventually(async () => expect(await fixture.documents()).toMatchObject([{ outbox: [] }]), { deadlineMs: 30_000 })
  await eventually(() => expect(new Set(received.map(({ messageId }) => messageId))).toEqual(new Set([eventId])))
  const [entry] = (stored?.['outbox'] ?? []) as { body: string }[]
  expect(new Set(received.map((message) => message.body.toString()))).toEqual(new Set([entry?.body]))
  // Every copy but one must say that it may be a repetition.
  expect(received.filter(({ headers }) => headers[MAYBE_PUBLISHED_HEADER] !== true).length).toBeLessThanOrEqual(1)
  expect(await fixture.sandbox.messageCount(fixture.queue)).toBe(0)
})
