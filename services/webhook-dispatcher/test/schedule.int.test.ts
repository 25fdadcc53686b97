import { eventually } from '@gateway/testkit'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { lookAtQueues } from './queues.ts'

/** Longer than any test: a message that comes back was not helped by the sweep. */
const NO_SWEEP = { sweepOverdueMs: 10 * 60_000 }

const schedules = new Set<readonly number[]>()
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(async () => {
  const looker = await lookAtQueues(fixture)
  for (const schedule of schedules) await looker.clear(schedule, [])
  await looker.close()
  await fixture.remove()
})

const startWith = (retryDelaysMs: readonly number[]) => {
  schedules.add(retryDelaysMs)
  return fixture.start({}, { retryDelaysMs, ...NO_SWEEP })
}
const waitQueue = (delayMs: number) => `${fixture.sandbox.amqpPrefix}webhook-dispatcher.retry.${delayMs}ms`
const isWaiting = (delayMs: number) =>
  eventually(async () => expect(await fixture.sandbox.messageCount(waitQueue(delayMs))).toBe(1))

let merchants = 0
const newMerchant = () => `mer_schedule_${(merchants += 1)}`
/** Answers each webhook so many times with 500, and then with 200. */
function failing(times: number): void {
  fixture.receiver.clear()
  const seen = new Map<string, number>()
  fixture.receiver.respondWith(({ headers }) => {
    const id = String(headers['webhook-id'])
    seen.set(id, (seen.get(id) ?? 0) + 1)
    return { status: (seen.get(id) ?? 0) > times ? 200 : 500 }
  })
}

/** Publishes under the first schedule, and goes over to the second when the message waits at this level. */
async function changed(from: readonly number[], to: readonly number[], waitingAtMs: number) {
  const before = await startWith(from)
  const merchantId = newMerchant()
  await registerEndpoint(await fixture.as(before, merchantId), fixture.receiver.url)
  const event = anEvent(merchantId)
  await fixture.publish(event)
  await isWaiting(waitingAtMs)
  await fixture.stop(before)
  return { event, after: await startWith(to) }
}

// Proves: webhooks/changed-schedule-strands-no-message
test('a message in the queue of a removed delay comes back when the delay is over', async () => {
  failing(1)
  const { event, after } = await changed([4000, 310], [310], 4000)
  expect(codesOf((await fixture.deliveryIs(event.id, 'delivered')).attempts)).toEqual([500, 200])
  expect(await fixture.sandbox.messageCount(waitQueue(4000))).toBe(0)
  await fixture.queuesAreEmpty()
  await fixture.stop(after)
})

// Proves: webhooks/changed-schedule-strands-no-message
test('an attempt numbered past the end of a shorter schedule is the last one', async () => {
  failing(9)
  const { event, after } = await changed([120, 3000, 130, 140], [150], 3000)
  const { attempts, dead_reason: reason } = await fixture.deliveryIs(event.id, 'dead')
  expect([codesOf(attempts), reason]).toEqual([[500, 500, 500], 'exhausted'])

  failing(0)
  const operator = fixture.operator(after)
  expect(await operator('POST', `/operator/v1/deliveries/${event.id}/replay`)).toMatchObject({ status: 202 })
  expect((await fixture.deliveryIs(event.id, 'delivered')).attempt_count).toBe(4)
  await fixture.queuesAreEmpty()
  await fixture.stop(after)
})

// Proves: webhooks/changed-schedule-strands-no-message
test('after delays were added and reordered, a message continues at the position of its attempt number', async () => {
  failing(4)
  const { event, after } = await changed([3200, 320], [320, 160, 3200, 170], 3200)
  const { attempts } = await fixture.deliveryIs(event.id, 'delivered')
  expect(codesOf(attempts)).toEqual([500, 500, 500, 500, 200])
  await fixture.queuesAreEmpty()
  await fixture.stop(after)
})

// Proves: webhooks/changed-schedule-strands-no-message
test('replicas with an old and with a new schedule share what is in flight, and nothing is lost or doubled', async () => {
  failing(3)
  const old = await startWith([180, 350, 600])
  // One each: many failures of one endpoint would open its breaker.
  const events = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const merchantId = newMerchant()
      await registerEndpoint(await fixture.as(old, merchantId), fixture.receiver.url)
      return anEvent(merchantId)
    }),
  )
  for (const event of events.slice(0, 8)) await fixture.publish(event)
  const young = await startWith([190, 350, 210, 220])
  for (const event of events.slice(8)) await fixture.publish(event)
  await eventually(async () => expect((await fixture.delivery(events[12]?.id ?? ''))?.attempt_count).toBeGreaterThan(0))
  await fixture.stop(old)

  for (const { id } of events) {
    const { attempts } = await fixture.deliveryIs(id, 'delivered', 30_000)
    expect(codesOf(attempts)).toEqual([500, 500, 500, 200])
    const got = fixture.receiver.requests().filter(({ headers }) => headers['webhook-id'] === id)
    expect(got.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3', '4'])
  }
  await fixture.queuesAreEmpty()
  await fixture.stop(young)
})
