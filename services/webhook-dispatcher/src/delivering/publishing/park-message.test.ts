import { topology, type IncomingMessage, type OutgoingMessage, type Publisher } from '@gateway/messaging'
import { anEvent } from '../../../test/builders.ts'
import { openDelivery, webhookOf } from '../../deliveries/index.ts'
import { makeParkMessage, recordDueMs, timesParked } from './park-message.ts'
import { brokerRetryPublisher } from './retry-publisher.ts'

const declared = topology('', [10_000], [500, 2000])
const now = () => new Date(0)
const event = anEvent('m')
const delivery = openDelivery(event, webhookOf(event), 'https://merchant.example/', now())

/** A publisher that keeps what it is given. */
function begin() {
  const published: OutgoingMessage[] = []
  const publisher: Publisher = {
    state: 'up',
    onStateChange: () => () => undefined,
    publish: async (message) => void published.push(message),
  }
  /** What was published last, as a consumer gets it. */
  const latest = (): IncomingMessage => {
    const message = published.at(-1)
    if (!message) throw new Error('nothing was published')
    const { messageId, type, correlationId, routingKey, headers = {}, body } = message
    const rest = { redelivered: false, publishedAtMs: 0, deliveryCount: 1, body: Buffer.from(body) }
    return { messageId, type, correlationId, routingKey, headers, ...rest }
  }
  return { published, latest, publisher }
}

test('a parked retry carries what its record says, and how often it was parked', async () => {
  const { latest, publisher } = begin()
  await brokerRetryPublisher(publisher, declared, now).publishParked(delivery, { parkMs: 2000, recordDueMs: 1_700_000_000_000 })
  const first = latest()
  expect([recordDueMs(first.headers), timesParked(first.headers)]).toEqual([1_700_000_000_000, 1])

  const parkMessage = makeParkMessage(publisher, declared.parkRoutes.retries, now)
  await parkMessage(first, { parkMs: 500, recordDueMs: 1_700_000_000_000 })
  expect(latest()).toMatchObject({ messageId: first.messageId, body: first.body })
  expect([recordDueMs(latest().headers), timesParked(latest().headers)]).toEqual([1_700_000_000_000, 2])
})

test('the retry of a failed attempt, and a parked event, know nothing of a record', async () => {
  const { latest, publisher } = begin()
  await brokerRetryPublisher(publisher, declared, now).publishAfter(delivery, 10_000)
  expect(recordDueMs(latest().headers)).toBeUndefined()
  await makeParkMessage(publisher, declared.parkRoutes.firstAttempts, now)(latest(), { parkMs: 500 })
  expect(recordDueMs(latest().headers)).toBeUndefined()
})

test.each(['1700000000000', null, {}, true, NaN, Infinity])('%p in the header says nothing', (value) => {
  expect(recordDueMs({ 'record-due': value })).toBeUndefined()
})
