/** Replicas of the dispatcher whose clocks differ by a minute. */
import { anEvent, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

const SKEWS_MS = [-30_000, 30_000]
const MERCHANT = 'mer_clock_skew'
const EVENTS = 40

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
  const dispatcher = await fixture.start()
  await registerEndpoint(await fixture.as(dispatcher, MERCHANT), fixture.receiver.url)
  await fixture.stop(dispatcher)
  await Promise.all(SKEWS_MS.map((skewMs) => fixture.start({ now: () => new Date(Date.now() + skewMs) })))
})
afterAll(() => fixture.remove())

// Proves: faults/clock-skew-loses-nothing
test('webhooks that fail at first arrive, whichever replica retries them; a repetition has the same webhook-id', async () => {
  const attempts = new Map<string, number>()
  fixture.receiver.respondWith(({ headers }) => {
    const id = String(headers['webhook-id'])
    attempts.set(id, (attempts.get(id) ?? 0) + 1)
    return { status: attempts.get(id) === 1 ? 500 : 200 }
  })
  const events = Array.from({ length: EVENTS }, () => anEvent(MERCHANT))
  await Promise.all(events.map((event) => fixture.publish(event)))
  for (const { id } of events) {
    const { attempts: made } = await fixture.deliveryIs(id, 'delivered', 90_000)
    expect(made.at(-1)).toMatchObject({ status_code: 200 })
  }
  await fixture.queuesAreEmpty()
  expect(new Set(attempts.keys())).toEqual(new Set(events.map(({ id }) => id)))
  // A claim of the replica that is behind has ended for the other: both may make the same attempt, which webhooks.md allows.
  for (const count of attempts.values()) expect(count).toBeLessThanOrEqual(4)
  for (const { headers } of fixture.receiver.requests()) {
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(150)
  }
})
