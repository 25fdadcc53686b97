import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually, freePort, startChildService, startProxied, type ChildService, type TcpProxy } from '@gateway/testkit'
import { anEvent, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

const PREFETCH = 5
const MERCHANTS = Array.from({ length: PREFETCH }, (_, index) => `mer_replicas_${index}`)
const EVENTS = 60

let fixture: Fixture
let directory: string
let proxied: { url: string; proxy: TcpProxy }
beforeAll(async () => {
  fixture = await startFixture()
  directory = await mkdtemp(join(tmpdir(), 'dispatchers-'))
  await writeFile(join(directory, 'ca.pem'), fixture.ca.cert)
  proxied = await startProxied(fixture.sandbox.amqpUrl)
  const dispatcher = await fixture.start()
  for (const merchantId of MERCHANTS) await registerEndpoint(await fixture.as(dispatcher, merchantId), fixture.receiver.url)
  await fixture.stop(dispatcher)
})
afterAll(async () => {
  await proxied.proxy.stop()
  await fixture.remove()
  await rm(directory, { recursive: true })
})

/** A dispatcher in a process of its own, told nothing of others; it reaches the broker through the proxy. */
async function startReplica(): Promise<ChildService & { attempts(): Promise<number> }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = await startChildService({
    script: new URL('../src/main.ts', import.meta.url),
    env: fixture.env({
      PORT: String(port),
      SERVICE_TOKEN: 'service-token-of-the-integration-tests',
      AMQP_URL: proxied.url,
      WEBHOOK_CA_FILE: join(directory, 'ca.pem'),
      WEBHOOK_PREFETCH: String(PREFETCH),
      WEBHOOK_TIMEOUT: '60s',
    }),
    readyUrl: `${url}/readyz`,
  })
  const attempts = async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return Number(/^webhook_attempts_total\{.*result="acknowledged".*\} (\d+)$/mu.exec(text)?.[1] ?? 0)
  }
  return { ...child, attempts }
}

/** Two replicas, one queue, and a merchant that answers only after both replicas hold their prefetch and `fault` is over. */
async function deliverWith(fault: (replicas: readonly ChildService[]) => Promise<void>) {
  const { promise: released, resolve: release } = Promise.withResolvers<{ status: number }>()
  fixture.receiver.clear()
  fixture.receiver.respondWith(() => released)
  const events = Array.from({ length: EVENTS }, (_, index) => anEvent(MERCHANTS[index % MERCHANTS.length] ?? ''))
  await Promise.all(events.map((event) => fixture.publish(event)))
  const replicas = await Promise.all([startReplica(), startReplica()])
  await eventually(() => expect(fixture.receiver.requests()).toHaveLength(2 * PREFETCH), { deadlineMs: 60_000 })
  await fault(replicas)
  release({ status: 200 })

  for (const { id } of events) await fixture.deliveryIs(id, 'delivered', 60_000)
  await fixture.queuesAreEmpty()
  const attempts = await Promise.all(replicas.map((replica) => replica.attempts().catch(() => undefined)))
  for (const replica of replicas) replica.kill('SIGTERM')
  await Promise.all(replicas.map(({ ended }) => ended))
  const posts = Map.groupBy(fixture.receiver.requests(), ({ headers }) => headers['webhook-id'])
  return { attempts, ids: new Set(posts.keys()), twice: fixture.receiver.requests().length - posts.size, expected: events }
}

// Proves: webhooks/replicas-share-work-without-configuration
test('two replicas share the work without configuration, and nothing is sent twice', async () => {
  const { attempts, ids, twice, expected } = await deliverWith(async () => {})
  expect(ids).toEqual(new Set(expected.map(({ id }) => id)))
  expect(twice).toBe(0)
  for (const share of attempts) expect(share).toBeGreaterThanOrEqual(PREFETCH)
  expect((attempts[0] ?? 0) + (attempts[1] ?? 0)).toBe(EVENTS)
}, 240_000)

// Proves: webhooks/killed-replica-loses-nothing
test('one of two is killed in the middle: the other delivers everything, and only deliveries in flight are sent twice', async () => {
  const { ids, twice, expected } = await deliverWith(async ([victim]) => {
    victim?.kill('SIGKILL')
    expect(await victim?.ended).toBe('SIGKILL')
  })
  expect(ids).toEqual(new Set(expected.map(({ id }) => id)))
  expect(twice).toBe(PREFETCH)
}, 240_000)

// Proves: webhooks/broker-outage-loses-nothing
test('the broker goes away in the middle and returns: nothing is lost, and deliveries in flight are sent once', async () => {
  const { ids, twice, expected } = await deliverWith(async () => {
    proxied.proxy.cut()
    await eventually(() => expect(proxied.proxy.connections).toBe(0))
    proxied.proxy.restore()
  })
  expect(ids).toEqual(new Set(expected.map(({ id }) => id)))
  expect(twice).toBeLessThanOrEqual(2 * PREFETCH)
}, 240_000)
