import { eventually } from '@gateway/testkit'
import type { TransactionStatusChanged } from '@gateway/contracts'
import type { DispatcherConfig } from '../src/config.ts'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.remove())

/** Opens after three failures. */
const breaker = (fields: Partial<DispatcherConfig['breaker']> = {}) => ({
  breaker: { ...fixture.config().breaker, window: 3, minResults: 3, failureShare: 1, fullSlots: 10, ...fields },
})

async function metricIs(dispatcher: RunningDispatcher, line: string): Promise<void> {
  await eventually(async () => {
    const text = await (await fetch(`http://127.0.0.1:${dispatcher.port}/metrics`)).text()
    expect(text.split('\n').map((each) => each.replace(/\{.*\}/u, ''))).toContain(line)
  })
}

async function publishMany(merchantId: string, count: number): Promise<TransactionStatusChanged[]> {
  const events = Array.from({ length: count }, () => anEvent(merchantId))
  await Promise.all(events.map((event) => fixture.publish(event)))
  return events
}

/** Counts for the endpoint of one path how many requests are in flight and how many it has answered. */
function counting(path: string, answer: () => Promise<number>) {
  const seen = { running: 0, answered: 0, mostOverAnswered: 0 }
  fixture.receiver.respondWith(async (request) => {
    if (request.path !== path) return { status: 200 }
    seen.running += 1
    seen.mostOverAnswered = Math.max(seen.mostOverAnswered, seen.running - seen.answered)
    const status = await answer()
    seen.running -= 1
    seen.answered += 1
    return { status }
  })
  return seen
}

// Proves: webhooks/circuit-breaker-per-endpoint
test('while it fails, one probe at a time; other deliveries wait with a record and no attempt; once it works all arrive, few at first', async () => {
  const merchantId = 'mer_probed'
  const dispatcher = await fixture.start({}, { endpointConcurrency: 10, prefetch: 50, timeoutMs: 30_000, ...breaker() })
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, `${fixture.receiver.url}/probed`)
  fixture.receiver.respondWith(() => ({ status: 503 }))
  const failed = await publishMany(merchantId, 3)
  await metricIs(dispatcher, 'webhook_breakers_open 1')

  const gate = Promise.withResolvers<undefined>()
  const seen = counting('/probed', async () => {
    await gate.promise
    return 200
  })
  fixture.receiver.clear()
  await fixture.receiver.waitFor(({ path }) => path === '/probed')
  const waiting = await publishMany(merchantId, 20)
  for (const { id } of waiting) {
    expect(await fixture.deliveryIs(id, 'retrying')).toMatchObject({ attempt_count: 0, attempts: [], claimed_until: new Date(0) })
  }
  const listed = await api<{ data: { deliveries: { next_attempt_at: string }[] } }>('GET', '/api/v1/webhooks/deliveries?limit=20')
  for (const { next_attempt_at } of listed.body.data.deliveries) expect(next_attempt_at).toMatch(/Z$/u)
  expect([seen.running, seen.answered]).toEqual([1, 0])

  gate.resolve(undefined)
  for (const { id } of waiting) {
    expect(codesOf((await fixture.deliveryIs(id, 'delivered', 30_000)).attempts)).toEqual([200])
    const webhooks = fixture.receiver.requests().filter(({ headers }) => headers['webhook-id'] === id)
    expect(webhooks.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1'])
  }
  for (const { id } of failed) expect(codesOf((await fixture.deliveryIs(id, 'delivered', 30_000)).attempts).at(-1)).toBe(200)
  // After n answers at most n + 1 are in flight.
  expect(seen.mostOverAnswered).toBeLessThanOrEqual(1)
  await fixture.queuesAreEmpty()
  await fixture.stop(dispatcher)
})

// Proves: webhooks/open-breaker-delays-deliveries
test('hundreds that wait for a failing endpoint do not delay others, and a replica with a closed breaker delivers them', async () => {
  const longOpen = breaker({ firstOpenMs: 600_000, maxOpenMs: 600_000 })
  const dispatcher = await fixture.start({}, { endpointConcurrency: 10, prefetch: 50, ...longOpen })
  await registerEndpoint(await fixture.as(dispatcher, 'mer_down'), `${fixture.receiver.url}/down`)
  await registerEndpoint(await fixture.as(dispatcher, 'mer_up'), `${fixture.receiver.url}/up`)
  fixture.receiver.respondWith(({ path }) => ({ status: path === '/down' ? 500 : 200 }))
  await publishMany('mer_down', 3)
  await metricIs(dispatcher, 'webhook_breakers_open 1')

  const waiting = await publishMany('mer_down', 300)
  for (const { id } of waiting) await fixture.deliveryIs(id, 'retrying')
  for (const { id } of await publishMany('mer_up', 20)) {
    expect(codesOf((await fixture.deliveryIs(id, 'delivered')).attempts)).toEqual([200])
  }
  const ids = new Set(waiting.map(({ id }) => id))
  expect(fixture.receiver.requests().filter(({ headers }) => ids.has(String(headers['webhook-id'])))).toEqual([])
  await fixture.stop(dispatcher)

  // The open breaker was in the memory of the stopped process only.
  fixture.receiver.respondWith(() => ({ status: 200 }))
  const other = await fixture.start({}, { endpointConcurrency: 10, prefetch: 50, ...breaker() })
  for (const { id } of waiting) expect(codesOf((await fixture.deliveryIs(id, 'delivered', 120_000)).attempts)).toEqual([200])
  await fixture.queuesAreEmpty()
  await fixture.stop(other)
}, 240_000)

test('answers of 404 do not open the breaker: the deliveries use up their attempts without delay', async () => {
  const dispatcher = await fixture.start({}, { endpointConcurrency: 10, prefetch: 50, ...breaker({ firstOpenMs: 600_000 }) })
  await registerEndpoint(await fixture.as(dispatcher, 'mer_404'), `${fixture.receiver.url}/not-found`)
  fixture.receiver.respondWith(() => ({ status: 404 }))
  for (const { id } of await publishMany('mer_404', 5)) {
    expect(codesOf((await fixture.deliveryIs(id, 'dead', 30_000)).attempts)).toEqual([404, 404, 404, 404])
  }
  await fixture.stop(dispatcher)
})
