/** The broker dies between a status change and the publish of its event: the outbox keeps the event. */
import { MAYBE_PUBLISHED_HEADER, connectBroker, consume, createPublisher, eventTopology } from '@gateway/messaging'
import type { Broker, IncomingMessage, Publisher } from '@gateway/messaging'
import { silentLog } from '@gateway/service-kit'
import { eventually, publisherAround } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let reader: Broker
const received: IncomingMessage[] = []
/** What the document held when the event of its Success was about to be published, and the broker's connections were cut. */
const seenAtCut: (Record<string, unknown> | null)[] = []

function cutBeforeSuccess(real: Publisher): Publisher {
  return publisherAround(real, async (message) => {
    const [transactionId = '', sequence] = message.messageId.split('.')
    if (seenAtCut.length === 0 && sequence === '2') {
      seenAtCut.push(await fixture.document(transactionId))
      fixture.brokerProxy.cut()
      await eventually(() => expect(real.state).toBe('down'))
    }
    await real.publish(message)
  })
}

beforeAll(async () => {
  fixture = await startFixture(cutBeforeSuccess)
  // The reader is connected past the proxy: it would see an event that reached the broker.
  const topology = eventTopology(fixture.config.amqpPrefix)
  reader = connectBroker({ url: fixture.sandbox.amqpUrl, name: 'test', log: silentLog, topology })
  consume(reader, {
    queue: topology.queues.statusChanged,
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
test('the callback answers 200, the event stays in the outbox, and exactly this event arrives when the broker is back', async () => {
  const { data } = await fixture.open()
  const [first, eventId] = [`${data.transaction_id}.1`, `${data.transaction_id}.2`]
  await eventually(() => expect(received.map(({ messageId }) => messageId)).toEqual([first]))
  expect(await fixture.report({ tr: data.transaction_id })).toMatchObject({ status: 200, body: { status: 'recorded' } })

  await eventually(() => expect(seenAtCut).toHaveLength(1))
  const inOutbox = expect.arrayContaining([expect.objectContaining({ id: eventId })])
  expect(seenAtCut).toEqual([expect.objectContaining({ status: 'Success', outbox: inOutbox })])
  const client = await fixture.as('M1')
  await eventually(async () => expect((await client('GET', '/readyz')).body).toMatchObject({ checks: { broker: 'down' } }))
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Success', outbox: inOutbox })
  expect(received).toHaveLength(1)

  fixture.brokerProxy.restore()
  await eventually(async () => expect(await fixture.document(data.transaction_id)).toMatchObject({ outbox: [] }), {
    deadlineMs: 30_000,
  })
  await eventually(() => expect(new Set(received.map(({ messageId }) => messageId))).toEqual(new Set([first, eventId])))
  const ofSuccess = received.filter(({ messageId }) => messageId === eventId)
  expect(ofSuccess[0]?.body.toString()).toContain('"status":"Success"')
  // Every copy but one must say that it may be a repetition.
  expect(ofSuccess.filter(({ headers }) => headers[MAYBE_PUBLISHED_HEADER] !== true).length).toBeLessThanOrEqual(1)
  expect(await fixture.sandbox.messageCount(fixture.queues.events)).toBe(0)
})
