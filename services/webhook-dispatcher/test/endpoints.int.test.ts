import { Webhook } from 'standardwebhooks'
import type { RotatedSecret } from '@gateway/contracts'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

interface EndpointAnswer {
  readonly data: { readonly url: string; readonly since: string; readonly signing_secret?: string }
}

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await fixture.start()
})
afterAll(() => fixture.remove())
beforeEach(() => {
  fixture.receiver.respondWith(() => ({ status: 200 }))
})

const PATH = '/api/v1/webhooks/endpoint'
let merchants = 0
const newMerchant = () => `mer_endpoint_${(merchants += 1)}`

// Proves: api/endpoint-put, api/endpoint-get, api/endpoint-since-is-ahead
test('a registration answers just after it takes effect; its secret is shown once and kept', async () => {
  const api = await fixture.as(dispatcher, newMerchant())
  expect(await api('GET', PATH)).toMatchObject({ status: 404, body: { code: 'endpoint_not_found' } })

  const startedAt = Date.now()
  const url = `${fixture.receiver.url}/a`
  const first = await api<EndpointAnswer>('PUT', PATH, { url })
  const answeredAt = Date.now()
  expect(first).toMatchObject({ status: 200, body: { data: { url } } })
  const since = Date.parse(first.body.data.since)
  expect(since).toBeGreaterThanOrEqual(startedAt + 500)
  expect(since).toBeLessThanOrEqual(answeredAt)
  expect(Buffer.from(first.body.data.signing_secret?.slice('whsec_'.length) ?? '', 'base64')).toHaveLength(32)
  expect(await api('GET', PATH)).toMatchObject({ status: 200, body: { data: { url, since: first.body.data.since } } })

  const second = await api<EndpointAnswer>('PUT', PATH, { url: `${fixture.receiver.url}/b` })
  expect(second.status).toBe(200)
  expect(second.body.data).not.toHaveProperty('signing_secret')
  expect((await api<EndpointAnswer>('GET', PATH)).body.data).toEqual(second.body.data)
})

// Proves: api/webhook-secrets-are-sealed
test('secrets are encrypted at rest', async () => {
  const merchantId = newMerchant()
  const secret = await registerEndpoint(await fixture.as(dispatcher, merchantId), fixture.receiver.url)
  const stored = await fixture.sandbox.client
    .db(fixture.database)
    .collection<{ _id: string }>('endpoints')
    .findOne({ _id: merchantId })
  expect(JSON.stringify(stored)).toContain('v1.k1.')
  expect(JSON.stringify(stored)).not.toContain(secret.slice('whsec_'.length))
})

// Proves: spec/4-1-order-bound-accounts-registered, spec/6-1-1-url-registered-account
// Proves: api/endpoint-effective-dating
test('an older order goes to the URL in force at its creation, a newer one to the new URL', async () => {
  const merchantId = newMerchant()
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, `${fixture.receiver.url}/old`)
  const older = anEvent(merchantId, { order_created_at: new Date().toISOString() })
  const changed = await api<EndpointAnswer>('PUT', PATH, { url: `${fixture.receiver.url}/new` })
  const newer = anEvent(merchantId, { order_created_at: new Date().toISOString() })
  const atTheMoment = anEvent(merchantId, { order_created_at: changed.body.data.since })
  for (const event of [older, newer, atTheMoment]) await fixture.publish(event)

  const pathOf = async ({ id }: { id: string }) =>
    (await fixture.receiver.waitFor(({ headers }) => headers['webhook-id'] === id)).path
  expect(await Promise.all([older, newer, atTheMoment].map(pathOf))).toEqual(['/old', '/new', '/new'])
})

// Proves: api/endpoint-put
test('of two concurrent first registrations one gets the secret, and both URLs are registered in turn', async () => {
  const merchantId = newMerchant()
  const api = await fixture.as(dispatcher, merchantId)
  const urls = ['/a', '/b', '/c'].map((path) => fixture.receiver.url + path)
  const answers = await Promise.all(urls.map((url) => api<EndpointAnswer>('PUT', PATH, { url })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const secrets = answers.flatMap(({ body }) => body.data.signing_secret ?? [])
  expect(secrets).toHaveLength(1)
  expect(new Set(answers.map(({ body }) => body.data.since)).size).toBe(3)

  const latest = answers.map(({ body }) => body.data).reduce((a, b) => (a.since > b.since ? a : b))
  expect((await api<EndpointAnswer>('GET', PATH)).body.data.url).toBe(latest.url)
  const event = anEvent(merchantId)
  await fixture.publish(event)
  const { body, headers } = await fixture.receiver.waitFor((webhook) => webhook.headers['webhook-id'] === event.id)
  new Webhook(secrets[0] ?? '').verify(body, headers as Record<string, string>)
})

// Proves: webhooks/endpoint-change-rate
test('after twenty changes the next one is told when it may be made', async () => {
  const merchantId = newMerchant()
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, fixture.receiver.url)
  const since = Date.now() - 60_000
  const registrations = Array.from({ length: 20 }, (_, index) => ({
    url: `https://localhost/${index}`,
    since: new Date(since + index),
  }))
  const endpoints = fixture.sandbox.client.db(fixture.database).collection<{ _id: string }>('endpoints')
  await endpoints.updateOne({ _id: merchantId }, { $set: { registrations } })
  const refused = await api('PUT', PATH, { url: fixture.receiver.url })
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  const retryAfter = Number(refused.headers.get('retry-after'))
  expect(retryAfter).toBeGreaterThan(8000)
  expect(retryAfter).toBeLessThanOrEqual(8640)
})

// Proves: api/secret-rotation
test('after a rotation the old secret and the new one sign', async () => {
  const merchantId = newMerchant()
  const api = await fixture.as(dispatcher, merchantId)
  const oldSecret = await registerEndpoint(api, fixture.receiver.url)
  const rotated = await api<EndpointAnswer & RotatedSecret>('POST', `${PATH}/rotate-secret`)
  const untilMs = Date.parse(rotated.body.data.previous_secret_until)
  expect(Math.abs(untilMs - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000)
  const newSecret = rotated.body.data.signing_secret
  expect(newSecret).toMatch(/^whsec_/u)
  expect(newSecret).not.toBe(oldSecret)

  const event = anEvent(merchantId)
  await fixture.publish(event)
  const { body, headers } = await fixture.receiver.waitFor((webhook) => webhook.headers['webhook-id'] === event.id)
  expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2)
  for (const secret of [oldSecret, newSecret]) new Webhook(secret).verify(body, headers as Record<string, string>)
})

test('without an endpoint there is no secret to rotate and no URL to test', async () => {
  const api = await fixture.as(dispatcher, newMerchant())
  expect(await api('POST', `${PATH}/rotate-secret`)).toMatchObject({ status: 404, body: { code: 'endpoint_not_found' } })
  expect(await api('POST', '/api/v1/webhooks/test')).toMatchObject({ status: 409, body: { code: 'endpoint_missing' } })
})

// Proves: api/webhook-test
test('a test event is signed and marked, and its result is the answer', async () => {
  const api = await fixture.as(dispatcher, newMerchant())
  const secret = await registerEndpoint(api, `${fixture.receiver.url}/test-event`)
  fixture.receiver.respondWith(() => ({ status: 418 }))
  const answer = await api('POST', '/api/v1/webhooks/test')
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { status_code: 418, duration_ms: expect.any(Number), error: null } },
  })
  const { body, headers } = await fixture.receiver.waitFor(({ path }) => path === '/test-event')
  expect(headers['webhook-test']).toBe('true')
  const payload = new Webhook(secret).verify(body, headers as Record<string, string>)
  expect(Object.keys(payload as object)).toEqual([
    'txnid',
    'merchantTxnId',
    'amount',
    'rrn',
    'status',
    'payee',
    'metadata',
    'datetime',
  ])
})

// Proves: api/unknown-request-properties-refused
test('unknown properties and unauthenticated callers are refused', async () => {
  const api = await fixture.as(dispatcher, newMerchant())
  expect(await api('PUT', PATH, { url: 'https://merchant.example/', secret: 'mine' })).toMatchObject({ status: 422 })
  expect(await api('GET', PATH, undefined, { authorization: '' })).toMatchObject({ status: 401, body: { code: 'token_missing' } })
  expect(await api('GET', PATH, undefined, { authorization: 'Bearer x.y.z' })).toMatchObject({
    status: 401,
    body: { code: 'token_invalid' },
  })
})
