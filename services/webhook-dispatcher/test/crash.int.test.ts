import { writeFile, rm, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChildService, type WebhookReply } from '@gateway/testkit'
import type { DeliveryDocument } from '../src/deliveries/persistence/delivery-document.ts'
import type { CrashPoint } from './crash-child.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { RETRY_DELAYS_MS, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let directory: string
beforeAll(async () => {
  fixture = await startFixture()
  directory = await mkdtemp(join(tmpdir(), 'dispatcher-'))
  await writeFile(join(directory, 'ca.pem'), fixture.ca.cert)
})
afterAll(async () => {
  await fixture.remove()
  await rm(directory, { recursive: true })
})

/** A claim lasts a little longer than the time limit, and the tests wait for its end. */
const SHORT_CLAIMS = { timeoutMs: 2000 }

let merchants = 0
/** A merchant with an endpoint that gives these answers. */
async function merchantWho(respond: (n: number) => WebhookReply | Promise<WebhookReply>): Promise<string> {
  const merchantId = `mer_crash_${(merchants += 1)}`
  const first = await fixture.start({}, SHORT_CLAIMS)
  await registerEndpoint(await fixture.as(first, merchantId), fixture.receiver.url)
  await fixture.stop(first)
  fixture.receiver.clear()
  fixture.receiver.respondWith((_request, n) => respond(n))
  return merchantId
}

/** A dispatcher that dies at this point of this attempt. */
function startMortal(point: CrashPoint, attempt: number, env: Record<string, string>) {
  const crash = { CRASH_AT: point, CRASH_ATTEMPT: String(attempt), WEBHOOK_CA_FILE: join(directory, 'ca.pem') }
  return startChildService({ script: new URL('./crash-child.ts', import.meta.url), env: fixture.env({ ...crash, ...env }) })
}

function attemptHeaders() {
  return fixture.receiver.requests().map(({ headers }) => [headers['webhook-id'], headers['webhook-attempt']])
}

/** One delivery through a dispatcher that dies at `point`, and then through one that lives. */
async function surviveCrash(point: CrashPoint, attempt: number, respond: (n: number) => WebhookReply) {
  const merchantId = await merchantWho(respond)
  const child = await startMortal(point, attempt, { WEBHOOK_TIMEOUT: '2s' })
  const event = anEvent(merchantId)
  await fixture.publish(event)
  expect(await child.ended).toBe('SIGKILL')
  const atDeath = await fixture.delivery(event.id)

  const second = await fixture.start({}, SHORT_CLAIMS)
  return {
    event,
    atDeath,
    stop: () => fixture.stop(second),
    attemptHeaders,
  }
}
const ok: WebhookReply = { status: 200 }
const failed: WebhookReply = { status: 500 }
const ALL = RETRY_DELAYS_MS.length + 1

// Proves: spec/6-1-4-webhook-may-come, webhooks/crash-after-post-before-record
test('killed after the first POST and before the record: the merchant gets it again under the same id', async () => {
  const { event, atDeath, stop, attemptHeaders } = await surviveCrash('after-post', 1, () => ok)
  expect(atDeath).toBeNull()
  expect(codesOf((await fixture.deliveryIs(event.id, 'delivered')).attempts)).toEqual([200])
  await fixture.queuesAreEmpty()
  await stop()
  expect(attemptHeaders()).toEqual([
    [event.id, '1'],
    [event.id, '1'],
  ])
})

// Proves: webhooks/slow-endpoint-keeps-no-message
test('killed during a slow first POST, whose message is acknowledged: when the claim has run out, the attempt is made again', async () => {
  const merchantId = await merchantWho((n) => (n === 1 ? new Promise(() => undefined) : ok))
  const child = await startMortal('before-publish', 1, { WEBHOOK_TIMEOUT: '60s' })
  const event = anEvent(merchantId)
  await fixture.publish(event)
  const kept = await fixture.deliveryIs(event.id, 'retrying', 30_000)
  expect(kept).toMatchObject({ attempt_count: 0, attempts: [] })
  expect(kept.claimed_until.getTime()).toBeGreaterThan(Date.now())
  child.kill('SIGKILL')
  expect(await child.ended).toBe('SIGKILL')
  // As if the minute of the claim were over.
  const records = fixture.sandbox.client.db(fixture.database).collection<DeliveryDocument>('deliveries')
  await records.updateOne({ _id: event.id }, { $set: { claimed_until: new Date(0) } })

  const second = await fixture.start({}, SHORT_CLAIMS)
  expect(codesOf((await fixture.deliveryIs(event.id, 'delivered')).attempts)).toEqual([200])
  await fixture.queuesAreEmpty()
  await fixture.stop(second)
  expect(attemptHeaders()).toEqual([
    [event.id, '1'],
    [event.id, '1'],
  ])
})

test('killed before the first POST: the merchant gets it', async () => {
  const { event, stop, attemptHeaders } = await surviveCrash('before-post', 1, () => ok)
  expect(codesOf((await fixture.deliveryIs(event.id, 'delivered')).attempts)).toEqual([200])
  await stop()
  expect(attemptHeaders()).toEqual([[event.id, '1']])
})

// Proves: webhooks/crash-after-record-before-publish
test('killed after the record and before the retry is published: the sweep continues the chain', async () => {
  const { event, atDeath, stop, attemptHeaders } = await surviveCrash('before-publish', 1, () => failed)
  expect(atDeath).toMatchObject({ status: 'retrying', attempt_count: 1 })
  expect(codesOf((await fixture.deliveryIs(event.id, 'dead')).attempts)).toEqual(Array(ALL).fill(500))
  await fixture.queuesAreEmpty()
  await stop()
  expect(attemptHeaders()).toEqual(['1', '2', '3', '4'].map((attempt) => [event.id, attempt]))
})

// Proves: webhooks/crash-after-publish-before-ack
test('killed after the retry was published and before the ack: the chain does not fork', async () => {
  const { event, atDeath, stop, attemptHeaders } = await surviveCrash('after-publish', 1, () => failed)
  expect(atDeath).toMatchObject({ status: 'retrying', attempt_count: 1 })
  expect(codesOf((await fixture.deliveryIs(event.id, 'dead')).attempts)).toEqual(Array(ALL).fill(500))
  await fixture.queuesAreEmpty()
  await stop()
  expect(attemptHeaders()).toEqual(['1', '2', '3', '4'].map((attempt) => [event.id, attempt]))
})

test.each([
  ['after', 'after-post', ['1', '2', '2']],
  ['before', 'before-post', ['1', '2']],
] as const)(
  "killed %s a retry's POST, with the claim held: when it has run out, the attempt is made again",
  async (_when, point, expected) => {
    const { event, atDeath, stop, attemptHeaders } = await surviveCrash(point, 2, (n) => (n === 1 ? failed : ok))
    expect(atDeath).toMatchObject({ status: 'retrying', attempt_count: 1 })
    expect(atDeath?.claimed_until.getTime()).toBeGreaterThan(atDeath?.attempts.at(-1)?.at.getTime() ?? Infinity)
    expect(codesOf((await fixture.deliveryIs(event.id, 'delivered')).attempts)).toEqual([500, 200])
    await fixture.queuesAreEmpty()
    await stop()
    expect(attemptHeaders()).toEqual(expected.map((attempt) => [event.id, attempt]))
  },
)
