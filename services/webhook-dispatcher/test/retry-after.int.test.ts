/** The fixture's schedule is 200, 400, 600 ms; this one is slower and wider, so that neighbouring levels can be distinguished. */
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let dispatcher: RunningDispatcher
let merchants = 0
beforeAll(async () => {
  fixture = await startFixture([200, 1500, 2500])
  dispatcher = await fixture.start()
})
afterAll(() => fixture.remove())
afterEach(() => {
  fixture.receiver.respondWith(() => ({ status: 200 }))
})

/** Sends one webhook whose attempts are answered with these, then with 200; returns the time between attempts, in milliseconds. */
async function deliver(...answers: { status: number; retryAfter: () => string }[]) {
  const merchantId = `mer_retry_after_${(merchants += 1)}`
  await registerEndpoint(await fixture.as(dispatcher, merchantId), fixture.receiver.url)
  let requests = 0
  fixture.receiver.respondWith(() => {
    const answer = answers[requests++]
    return answer ? { status: answer.status, headers: { 'retry-after': answer.retryAfter() } } : { status: 200 }
  })
  const event = anEvent(merchantId)
  await fixture.publish(event)
  const wasAnswered = answers.length > 3 ? ('dead' as const) : ('delivered' as const)
  const { attempts } = await fixture.deliveryIs(event.id, wasAnswered)
  const startedAtMs = attempts.map(({ at }) => at.getTime())
  return { codes: codesOf(attempts), waitsMs: startedAtMs.slice(1).map((ms, index) => ms - (startedAtMs[index] ?? 0)) }
}
const seconds = (status: number, value: string) => ({ status, retryAfter: () => value })

// Proves: webhooks/retry-after-is-rounded-up
test('Retry-After of a second is rounded up to the next delay of the schedule, on any status that is retried', async () => {
  for (const status of [503, 429, 302, 404, 202]) {
    const { codes, waitsMs } = await deliver(seconds(status, '1'))
    expect(codes).toEqual([status, 200])
    expect(waitsMs[0]).toBeGreaterThanOrEqual(1500)
  }
})

// Proves: webhooks/retry-after-is-rounded-up
test('Retry-After may be a date', async () => {
  const inTenSeconds = () => new Date(Date.now() + 10_000).toUTCString()
  const { codes, waitsMs } = await deliver({ status: 503, retryAfter: inTenSeconds })
  expect(codes).toEqual([503, 200])
  expect(waitsMs[0]).toBeGreaterThanOrEqual(1500)
})

// Proves: webhooks/retry-after-adds-no-attempts
test('Retry-After of a year is cut to the longest delay, and adds no attempts', async () => {
  const aYear = seconds(503, '31536000')
  const { codes, waitsMs } = await deliver(aYear, aYear, aYear, aYear)
  expect(codes).toEqual([503, 503, 503, 503])
  for (const waitMs of waitsMs) expect(waitMs).toBeGreaterThanOrEqual(2500)
  await fixture.queuesAreEmpty()
})
