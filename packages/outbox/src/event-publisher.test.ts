import { Unavailable } from '@gateway/contracts'
import { BrokerUnavailable, MAYBE_PUBLISHED_HEADER, type BrokerState, type OutgoingMessage } from '@gateway/messaging'
import { Backlog } from './backlog.ts'
import { asMaybePublished } from './entry.ts'
import { EventPublisher } from './event-publisher.ts'

const LONG_MS = 60_000
/** Unconfirmed events are sent again this long after the broker is back (`RESEND_AFTER_MS` in event-publisher.ts). */
const RESEND_AFTER_MS = 1000
/** The sweep of another replica takes events of this age. */
const SWEEP_AFTER_MS = 5000
let started: EventPublisher | undefined
// Fake timers: on a slow machine no delay ends early. `turn` needs the real setImmediate.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }))
afterEach(() => {
  void started?.finish()
  jest.useRealTimers()
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms)
  await turn()
}

const entryOf = (id: string) => ({ id, type: 'order.created', at: new Date(), correlation_id: id, body: '{}' })

/** An event publisher whose broker confirms when the test says so. */
function start({
  publishDelayMs,
  maxInFlight = 100,
  partitions = 1,
}: {
  publishDelayMs: number
  maxInFlight?: number
  partitions?: number
}) {
  const routes: string[] = []
  const sent: string[] = []
  const confirms: (() => void)[] = []
  const refusals: ((error: Error) => void)[] = []
  const maybePublished: string[] = []
  const failed: string[] = []
  const publisher = {
    state: 'up' as BrokerState,
    onStateChange: () => () => undefined,
    publish: ({ messageId, headers, routingKey }: OutgoingMessage) => {
      if (publisher.state !== 'up') return Promise.reject(new BrokerUnavailable('the broker is down'))
      return new Promise<void>((resolve, reject) => {
        sent.push(messageId)
        routes.push(routingKey)
        if (headers?.[MAYBE_PUBLISHED_HEADER] === true) maybePublished.push(messageId)
        confirms.push(resolve)
        refusals.push(reject)
      })
    },
  }
  const clear = () => Promise.resolve()
  const events = new EventPublisher({
    ...{ publisher, exchange: 'events', backlog: new Backlog(), publishDelayMs, maxInFlight, clear },
    partitions: () => partitions,
    ...{ now: () => new Date(), sweepAfterMs: SWEEP_AFTER_MS },
    onFailure: ({ id }) => void failed.push(id),
  })
  started = events
  const add = (id: string, maybePublished?: true) => events.add(id, maybePublished ? asMaybePublished(entryOf(id)) : entryOf(id))
  return { events, publisher, add, sent, routes, maybePublished, confirms, refusals, failed }
}

test('without a delay an event is published at once', async () => {
  const { add, sent } = start({ publishDelayMs: 0 })
  void add('1')
  await turn()
  expect(sent).toEqual(['1'])
})

test('a few events are published together, in order, once the first has waited', async () => {
  const { add, sent, confirms } = start({ publishDelayMs: 300 })
  const first = add('1')
  await pass(200)
  const done = [first, add('2'), add('3')]
  await pass(99)
  expect(sent).toEqual([])
  await pass(1)
  expect(sent).toEqual(['1', '2', '3'])
  for (const confirm of confirms) confirm()
  expect(await Promise.all(done)).toEqual([true, true, true])
})

test('with eight queued events none waits', async () => {
  const { add, sent } = start({ publishDelayMs: LONG_MS })
  for (let index = 0; index < 7; index++) void add(String(index))
  await turn()
  expect(sent).toEqual([])
  void add('7')
  await turn()
  expect(sent).toHaveLength(8)
})

test('a confirm starts events that the in-flight limit held back, and does not shorten the delay of a new one', async () => {
  const { add, sent, confirms } = start({ publishDelayMs: LONG_MS, maxInFlight: 10 })
  for (let index = 0; index < 16; index++) void add(String(index))
  await turn()
  expect(sent).toHaveLength(10)
  for (const confirm of confirms.splice(0, 10)) confirm()
  await turn()
  expect(sent).toHaveLength(16)
  void add('delayed')
  for (const confirm of confirms.splice(0, 6)) confirm()
  await turn()
  expect(sent).toHaveLength(16)
})

// Proves: broker/batches-per-partition
test('each partition has its own batch: eight events of one leave together, and those of another wait on', async () => {
  const { add, sent, routes } = start({ publishDelayMs: 300, partitions: 4 })
  const [first, last] = ['01M7Z06FKYP25ADK0GD2B8YZJ900', '01M7Z06FKYP25ADK0GD2B8YZJ9ZZ']
  for (let index = 0; index < 7; index++) {
    void add(`${last}.${index}`)
    void add(`${first}.${index}`)
  }
  void add(`${last}.7`)
  await turn()
  expect(routes).toEqual(Array(8).fill('order.created.3'))
  expect(sent.every((id) => id.startsWith(last))).toBe(true)
  await pass(300)
  expect(routes.slice(8)).toEqual(Array(7).fill('order.created'))
})

test('an event found by a sweep is not delayed', async () => {
  const { add, sent } = start({ publishDelayMs: LONG_MS })
  void add('1', true)
  await turn()
  expect(sent).toEqual(['1'])
})

test('finish publishes delayed events at once', async () => {
  const { events, add, sent, confirms } = start({ publishDelayMs: LONG_MS })
  const done = add('1')
  const idle = events.finish()
  await turn()
  expect(sent).toEqual(['1'])
  confirms[0]?.()
  await idle
  expect(await done).toBe(true)
})

test('events that were never sent wait for the broker; events found by a sweep are left to the next sweep', async () => {
  const { events, publisher, add, sent, confirms, failed } = start({ publishDelayMs: LONG_MS })
  const done = Array.from({ length: 8 }, (_, index) => add(String(index)))
  await turn()
  publisher.state = 'down'
  const late = add('delayed')
  expect(await add('swept', true)).toBe(false)
  expect(failed).toEqual(['swept'])

  publisher.state = 'up'
  events.resume()
  await turn()
  for (const confirm of confirms) confirm()
  expect(await Promise.all([...done, late])).not.toContain(false)
  expect(sent).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', 'delayed'])
})

test('events in flight when the broker leaves are sent again once, a second after it is back, as maybe published', async () => {
  const { events, publisher, add, sent, maybePublished, confirms, refusals, failed } = start({
    publishDelayMs: 0,
    maxInFlight: 3,
  })
  const done = ['1', '2', '3', '4'].map((id) => add(id))
  const swept = add('swept', true)
  await turn()
  confirms[0]?.()
  await turn()
  // The waiting promises are rejected before the state of the publisher changes.
  for (const refuse of refusals.splice(1)) refuse(new BrokerUnavailable('the broker left before it confirmed'))
  await turn()
  for (const refuse of refusals.splice(1)) refuse(new BrokerUnavailable('the broker left before it confirmed'))
  publisher.state = 'down'
  await turn()
  expect(await swept).toBe(false)
  expect([failed, events.queued]).toEqual([['swept'], 3])

  sent.length = 0
  maybePublished.length = 0
  publisher.state = 'up'
  events.resume()
  // Consumers get time to handle the messages that did arrive.
  await pass(RESEND_AFTER_MS - 1)
  expect(sent).toEqual([])
  await pass(1)
  expect(sent).toHaveLength(3)
  for (const confirm of confirms) confirm()
  expect(await Promise.all(done)).toEqual([true, true, true, true])
  expect([sent, maybePublished, failed]).toEqual([['2', '3', '4'], ['2', '3', '4'], ['swept']])
})

test('an event that fails a second time is left to the sweep', async () => {
  const { events, add, sent, refusals, failed } = start({ publishDelayMs: 0 })
  const done = add('1')
  const left = new BrokerUnavailable('the broker left before it confirmed')
  await turn()
  refusals[0]?.(left)
  await turn()
  expect(failed).toEqual([])
  events.resume()
  await pass(RESEND_AFTER_MS)
  expect(sent).toHaveLength(2)
  refusals[1]?.(left)
  expect(await done).toBe(false)
  expect([failed, events.size]).toEqual([['1'], 0])
})

test('an event that the broker refuses is left to the sweep', async () => {
  const { events, add, refusals, failed } = start({ publishDelayMs: 0 })
  const done = add('1')
  await turn()
  refusals[0]?.(new Unavailable('publish_refused', 'a queue refused the message'))
  expect(await done).toBe(false)
  expect([failed, events.size]).toEqual([['1'], 0])
})

test('finish does not wait for a broker that is away', async () => {
  const { events, publisher, add, failed } = start({ publishDelayMs: LONG_MS, maxInFlight: 1 })
  publisher.state = 'down'
  const done = [add('1'), add('2')]
  await events.finish()
  expect(await Promise.all(done)).toEqual([false, false])
  expect(failed).toEqual(['1', '2'])
})

test.each([
  [SWEEP_AFTER_MS - 1, []],
  [SWEEP_AFTER_MS, ['1']],
])('an event that waited %i ms for the broker goes marked when a sweep may have found it', async (waitedMs, marked) => {
  const { events, publisher, add, sent, maybePublished } = start({ publishDelayMs: 0 })
  publisher.state = 'down'
  void add('1')
  await pass(waitedMs)
  publisher.state = 'up'
  events.resume()
  await turn()
  expect({ sent, maybePublished }).toEqual({ sent: ['1'], maybePublished: marked })
})
