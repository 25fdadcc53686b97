import { eventually } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { lookAtQueues, type QueueLooker } from './queues.ts'

interface QueueView {
  readonly name: string
  readonly stage: string
  readonly messages: number
  readonly done: string
}
interface Queues {
  readonly data: { readonly queues: readonly QueueView[] }
}

/** Short times, so that a queue is retired and removable soon. */
const TIMES = { queueHeartbeatMs: 50, queueRestMs: 100, sweepOverdueMs: 10 * 60_000 }
/** A message in this queue waits until the end of the test, however slow the machine is. */
const ENDLESS_MS = 3_600_000
/** Usually longer than a restart of the dispatcher, so that the message still waits then. Nothing depends on it. */
const LONG_MS = 6000

let fixture: Fixture
let looker: QueueLooker
let merchantId: string
beforeAll(async () => {
  fixture = await startFixture([LONG_MS, 200])
  looker = await lookAtQueues(fixture)
})
afterAll(async () => {
  await fixture.remove()
  await looker.clear([ENDLESS_MS, LONG_MS, 200, 150], [100, 120, 300])
  await looker.close()
})

const startWith = (retryDelaysMs: readonly number[], parkDelaysMs: readonly [number, ...number[]]) =>
  fixture.start({}, { ...TIMES, retryDelaysMs, parkDelaysMs })
const nameOf = (what: string) => `${fixture.sandbox.amqpPrefix}webhook-dispatcher.${what}ms`
const ask = (dispatcher: RunningDispatcher, path: string) =>
  // 503 until the broker is there.
  eventually(async () => {
    const answer = await fixture.operator(dispatcher)<Queues>(path === '' ? 'GET' : 'POST', `/operator/v1/retired-queues${path}`)
    expect(answer.status).toBe(200)
    return answer.body.data.queues
  })
const find = (queues: readonly QueueView[], what: string) => queues.find(({ name }) => name === nameOf(what))
async function register(dispatcher: RunningDispatcher) {
  merchantId = `mer_retired_${Date.now()}`
  await registerEndpoint(await fixture.as(dispatcher, merchantId), fixture.receiver.url)
}
/** A webhook that failed once and waits in the queue of this delay. */
async function aWaitingWebhook(delayMs: number) {
  fixture.receiver.respondWith(({ headers }) => ({ status: headers['webhook-attempt'] === '1' ? 500 : 200 }))
  const event = anEvent(merchantId)
  await fixture.publish(event)
  await eventually(async () => expect(await fixture.sandbox.messageCount(nameOf(`retry.${delayMs}`))).toBe(1))
  return event
}

/** Queues of the first schedule that the second does not have. */
const retired = (delayMs: number) => [
  'park.first-attempts.100',
  'park.refund-attempts.100',
  'park.retries.100',
  'park.retries.300',
  `retry.${delayMs}`,
]

/** A webhook waits in the queue of this delay, and then every dispatcher has a schedule without it. */
async function retireQueues(delayMs: number) {
  const before = await startWith([delayMs, 200], [100, 300])
  await register(before)
  const event = await aWaitingWebhook(delayMs)
  await fixture.stop(before)
  return { event, after: await startWith([200, 150], [120]) }
}

// Proves: webhooks/operator-removes-retired-queues
test('a message in a queue that was cut off is delivered, and the queues are removed when they are empty', async () => {
  const { event, after } = await retireQueues(LONG_MS)
  await eventually(async () => expect(find(await ask(after, '/remove'), `retry.${LONG_MS}`)?.stage).toBe('resting'))
  expect(codesOf((await fixture.deliveryIs(event.id, 'delivered')).attempts)).toEqual([500, 200])

  await eventually(async () => expect(await ask(after, '/remove')).toEqual([]))
  for (const what of retired(LONG_MS)) {
    expect(await looker.depth(nameOf(what))).toBeUndefined()
  }
  expect(await looker.depth(nameOf('retry.200'))).toBe(0)
  expect(await ask(after, '')).toEqual([])
  await fixture.stop(after)
})

// Proves: webhooks/operator-removes-retired-queues
test('queues of an earlier schedule are found and cut off, and one is not removed while a message waits in it', async () => {
  const { after } = await retireQueues(ENDLESS_MS)
  await eventually(async () => {
    const found = await ask(after, '')
    expect(found.map(({ name }) => name).toSorted()).toEqual(retired(ENDLESS_MS).map(nameOf))
    expect(found.every(({ stage }) => stage === 'bound')).toBe(true)
  })

  const waits = { stage: 'resting', messages: 1 }
  const cut = await ask(after, '/remove')
  expect(find(cut, `retry.${ENDLESS_MS}`)).toMatchObject({ ...waits, done: 'cut_off' })
  await eventually(async () => expect(await ask(after, '/remove')).toMatchObject([{ ...waits, done: 'nothing' }]))
  expect(await looker.depth(nameOf(`retry.${ENDLESS_MS}`))).toBe(1)
  await fixture.stop(after)
})

// Proves: webhooks/operator-removes-retired-queues
test('a queue that is used again before it is removed is restored', async () => {
  const first = await startWith([LONG_MS], [120])
  await register(first)
  await fixture.stop(first)
  const other = await startWith([200], [120])
  await eventually(async () => expect(find(await ask(other, '/remove'), `retry.${LONG_MS}`)?.stage).toBe('resting'))
  await fixture.stop(other)

  const again = await startWith([LONG_MS], [120])
  expect(find(await ask(again, ''), `retry.${LONG_MS}`)).toBeUndefined()
  const event = await aWaitingWebhook(LONG_MS)
  expect(codesOf((await fixture.deliveryIs(event.id, 'delivered')).attempts)).toEqual([500, 200])
  await fixture.stop(again)
})
