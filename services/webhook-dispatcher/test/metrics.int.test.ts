import { readFile } from 'node:fs/promises'
import { eventually, type WebhookReply } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture([200])
  dispatcher = await fixture.start(undefined, { prefetch: 2 })
  await registerEndpoint(await fixture.as(dispatcher, 'mer_metrics'), fixture.receiver.url)
})
afterAll(() => fixture.remove())

/** Every series, by its name and labels without the service's own. */
async function scrape(): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${dispatcher.port}/metrics`)).text()
  const lines = text.split('\n').filter((line) => /^(?:webhook_|queue_|alerts_total)/u.test(line))
  return new Map(
    lines.map((line) => {
      const [, series = '', value] = /^(.*) (\S+)$/u.exec(line) ?? []
      return [
        series
          .replace(/,?service="[^"]*"/u, '')
          .replace('{}', '')
          .replace('{,', '{'),
        Number(value),
      ]
    }),
  )
}

// Proves: webhooks/metrics
test('queue depth, message age and requests in flight are visible while a merchant is slow', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<WebhookReply>()
  fixture.receiver.respondWith(() => released)
  const { statusChanged, retries } = fixture.declared.queues
  const events = Array.from({ length: 5 }, () => anEvent('mer_metrics'))
  await Promise.all(events.map((event) => fixture.publish(event)))

  await eventually(async () => {
    const metrics = await scrape()
    expect(metrics.get('webhook_in_flight')).toBeGreaterThan(0)
    const age = metrics.get(`queue_oldest_message_age_seconds{queue="${statusChanged.name}"}`)
    expect(age).toBeGreaterThan(0)
    expect(age).toBeLessThan(60)
  })
  const waiting = await scrape()
  const depths = [...waiting].filter(([series]) => series.startsWith('queue_messages'))
  expect(depths.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(0)
  expect(waiting.get(`queue_oldest_message_age_seconds{queue="${retries.name}"}`)).toBe(0)

  release({ status: 200 })
  for (const { id } of events) await fixture.deliveryIs(id, 'delivered')
  await eventually(async () => {
    const metrics = await scrape()
    expect(metrics.get('webhook_in_flight')).toBe(0)
    expect(metrics.get(`queue_messages{queue="${statusChanged.name}"}`)).toBe(0)
    expect(metrics.get(`queue_oldest_message_age_seconds{queue="${statusChanged.name}"}`)).toBe(0)
    expect(metrics.get('webhook_acknowledgement_latency_seconds_count')).toBe(5)
    expect(metrics.get('webhook_attempts_total{result="acknowledged"}')).toBe(5)
    expect(metrics.get('webhook_deliveries_total{outcome="delivered"}')).toBe(5)
  })
})

// Proves: webhooks/metrics
test('the latency of an acknowledgement counts from the status change, including retries', async () => {
  const sum = async () => (await scrape()).get('webhook_acknowledgement_latency_seconds_sum') ?? 0
  const before = await sum()
  fixture.receiver.clear()
  fixture.receiver.respondWith((_request, n) => ({ status: n === 1 ? 503 : 200 }))
  const event = { ...anEvent('mer_metrics'), occurred_at: new Date(Date.now() - 1_000_000).toISOString() }
  await fixture.publish(event)
  await fixture.deliveryIs(event.id, 'delivered')
  await eventually(async () => expect((await sum()) - before).toBeGreaterThan(1000))
  expect((await sum()) - before).toBeLessThan(1100)
  expect((await scrape()).get('webhook_attempts_total{result="status"}')).toBe(1)
})

// Proves: webhooks/metrics
test('a delivery that runs out of attempts is counted and raises an alert', async () => {
  fixture.receiver.respondWith(() => ({ status: 503 }))
  const event = anEvent('mer_metrics')
  await fixture.publish(event)
  await fixture.deliveryIs(event.id, 'dead')
  await eventually(async () => {
    const metrics = await scrape()
    expect(metrics.get('webhook_deliveries_total{outcome="dead"}')).toBe(1)
    expect(metrics.get('alerts_total{kind="webhook_dead"}')).toBe(1)
  })
})

// Proves: webhooks/metrics
test('the page for operators names every metric and no other', async () => {
  const page = await readFile(new URL('../../../docs/operations/metrics.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `(webhook_\w+)`/gmu)].map(([, name]) => name)
  const text = await (await fetch(`http://127.0.0.1:${dispatcher.port}/metrics`)).text()
  const exported = [...text.matchAll(/^# TYPE (webhook_\w+)/gmu)].map(([, name]) => name)
  expect(documented.toSorted()).toEqual(exported.toSorted())
})
