import type { Log } from '@gateway/service-kit'
import { stopAll } from '@gateway/service-kit'
import { eventually } from '@gateway/testkit'
import { startWebhookDispatcher, type RunningDispatcher } from '../src/service.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

interface Endpoint {
  readonly data: { readonly url: string; readonly since: string; readonly disabled: { at: string; reason: string } | null }
}

const errors: string[] = []
const ignore = () => undefined
const log: Log = {
  info: ignore,
  warn: ignore,
  debug: ignore,
  error: (message, fields) => void errors.push(JSON.stringify({ message, ...fields })),
}

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await startWebhookDispatcher(fixture.config(), log)
})
afterAll(async () => {
  await stopAll(log, dispatcher.parts, 5000)
  await fixture.remove()
})

const PATH = '/api/v1/webhooks/endpoint'
let merchants = 0
async function aMerchant() {
  const merchantId = `mer_disable_${(merchants += 1)}`
  const url = `${fixture.receiver.url}/${merchantId}`
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, url)
  return { merchantId, url, api }
}
const postsTo = (url: string) => fixture.receiver.requests().filter(({ path }) => url.endsWith(path)).length
const answers = (status: number) => fixture.receiver.respondWith(() => ({ status }))
async function publish(merchantId: string): Promise<string> {
  const event = anEvent(merchantId)
  await fixture.publish(event)
  return event.id
}

// Proves: webhooks/failing-endpoint-is-disabled
test('410 disables the endpoint: its deliveries are dead and say why, operators and the merchant see it, until it is enabled', async () => {
  const { merchantId, url, api } = await aMerchant()
  expect((await api<Endpoint>('GET', PATH)).body.data.disabled).toBeNull()
  answers(410)
  const first = await publish(merchantId)
  expect(await fixture.deliveryIs(first, 'dead')).toMatchObject({
    dead_reason: 'endpoint_disabled',
    attempts: [{ status_code: 410 }],
  })
  await eventually(async () =>
    expect((await api<Endpoint>('GET', PATH)).body.data.disabled).toMatchObject({ reason: 'gone', at: expect.any(String) }),
  )

  // Caches of endpoints live for a quarter of a second.
  const record = await eventually(async () => {
    const found = await fixture.deliveryIs(await publish(merchantId), 'dead')
    expect(codesOf(found.attempts)).toEqual(['endpoint_disabled'])
    return found
  })
  const posts = postsTo(url)
  expect(record).toMatchObject({ dead_reason: 'endpoint_disabled', attempt_count: 0, url })
  await fixture.deliveryIs(await publish(merchantId), 'dead')
  expect(postsTo(url)).toBe(posts)

  const listed = await fixture.operator(dispatcher)('GET', `/operator/v1/endpoints/disabled?limit=100`)
  expect(listed.body).toMatchObject({ data: { endpoints: expect.arrayContaining([expect.objectContaining({ merchant_id: merchantId, url, reason: 'gone' })]) } }) // prettier-ignore
  expect(errors.filter((line) => line.includes(merchantId))).toHaveLength(1)
  const metrics = await (await fetch(`http://127.0.0.1:${dispatcher.port}/metrics`)).text()
  expect(metrics).toMatch(/alerts_total\{kind="webhook_endpoint_disabled".*\} [1-9]/u)

  answers(200)
  expect(await api('POST', `${PATH}/enable`)).toMatchObject({ status: 200, body: { data: { url, disabled: null } } })
  expect((await api<Endpoint>('GET', PATH)).body.data.disabled).toBeNull()
  expect(codesOf((await fixture.deliveryIs(await publish(merchantId), 'delivered')).attempts)).toEqual([200])
  await fixture.queuesAreEmpty()
})

// Proves: webhooks/disabled-until-enabled-or-registered
test('registering the URL again enables it; enabling an enabled URL changes nothing; without an endpoint it is 404', async () => {
  const { merchantId, url, api } = await aMerchant()
  answers(410)
  await fixture.deliveryIs(await publish(merchantId), 'dead')
  await eventually(async () => expect((await api<Endpoint>('GET', PATH)).body.data.disabled).not.toBeNull())
  const before = (await api<Endpoint>('GET', PATH)).body.data
  expect(await api('PUT', PATH, { url })).toMatchObject({
    status: 200,
    body: { data: { url, since: before.since, disabled: null } },
  })
  answers(200)
  await fixture.deliveryIs(await publish(merchantId), 'delivered')

  expect(await api('POST', `${PATH}/enable`)).toMatchObject({ status: 200, body: { data: { url, disabled: null } } })
  const withoutEndpoint = await fixture.as(dispatcher, 'mer_without')
  expect(await withoutEndpoint('POST', `${PATH}/enable`)).toMatchObject({ status: 404, body: { code: 'endpoint_not_found' } })
})

// Proves: webhooks/failing-endpoint-is-disabled
test('a delivery that was being retried when its endpoint was disabled is dead at its next attempt, with its earlier attempts', async () => {
  const { merchantId, url } = await aMerchant()
  fixture.receiver.respondWith((_request, n) => ({ status: n % 2 === 1 ? 500 : 410 }))
  fixture.receiver.clear()
  const first = await publish(merchantId)
  await fixture.receiver.waitFor(({ path }) => url.endsWith(path))
  await fixture.deliveryIs(await publish(merchantId), 'dead')
  const record = await fixture.deliveryIs(first, 'dead')
  expect(record).toMatchObject({ dead_reason: 'endpoint_disabled' })
  expect(codesOf(record.attempts)[0]).toBe(500)
  expect(['endpoint_disabled', 410]).toContain(codesOf(record.attempts).at(-1))
  await fixture.queuesAreEmpty()
})

// Proves: webhooks/disabled-until-enabled-or-registered
test('other URLs of the merchant are not affected: neither the newer one, nor an older one that orders are bound to', async () => {
  const { merchantId, url, api } = await aMerchant()
  const older = anEvent(merchantId, { order_created_at: new Date().toISOString() })
  await registerEndpoint(api, `${url}-new`)
  fixture.receiver.respondWith(({ path }) => ({ status: path.endsWith('-new') ? 200 : 410 }))
  await fixture.publish(older)
  await fixture.deliveryIs(older.id, 'dead')
  expect((await api<Endpoint>('GET', PATH)).body.data).toMatchObject({ url: `${url}-new`, disabled: null })
  await fixture.deliveryIs(await publish(merchantId), 'delivered')
})

// Proves: webhooks/failing-endpoint-is-disabled
test('an endpoint that fails during WEBHOOK_DISABLE_AFTER is disabled, across restarts, and not before', async () => {
  const { merchantId } = await aMerchant()
  const dayMs = 24 * 60 * 60 * 1000
  answers(500)
  await stopAll(log, dispatcher.parts, 5000)
  const disabledOn = async (days: number) => {
    // Each day on a process of its own: the clock is in the database.
    const later = await fixture.start({ now: () => new Date(Date.now() + days * dayMs) })
    const event = anEvent(merchantId)
    await fixture.publish(event)
    const record = await fixture.deliveryIs(event.id, 'dead', 30_000)
    await fixture.stop(later)
    return record.dead_reason
  }
  const reasons = []
  for (const days of [0, 1, 2, 3, 4, 5.01, 5.02]) reasons.push(await disabledOn(days))
  expect(reasons.slice(0, 5)).toEqual(Array(5).fill('exhausted'))
  expect(reasons.at(-1)).toBe('endpoint_disabled')
  dispatcher = await startWebhookDispatcher(fixture.config(), log)
  const { disabled } = (await (await fixture.as(dispatcher, merchantId))<Endpoint>('GET', PATH)).body.data
  expect(disabled).toMatchObject({ reason: 'failing' })
})
