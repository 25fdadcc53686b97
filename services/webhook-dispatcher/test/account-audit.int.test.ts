import type { AuditRecord } from '@gateway/contracts'
import { eventually, startJsonServer, type JsonServer } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import { registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

/** What the dispatcher appends to the audit, which auth-token keeps. */
const TOKEN = 'internal-api-token-of-the-tests-0001'
const ENDPOINT = '/api/v1/webhooks/endpoint'
const MERCHANT_ID = 'mer_01M83SYPHK4DS45EBHQ1GS40GA'

let fixture: Fixture
let authToken: JsonServer
let dispatcher: RunningDispatcher
beforeAll(async () => {
  authToken = await startJsonServer(() => ({ status: 204 }))
  fixture = await startFixture()
  dispatcher = await fixture.start({}, { auditLog: { url: authToken.url, token: TOKEN } })
})
afterAll(async () => {
  await fixture.remove()
  await authToken.stop()
})
afterEach(() => {
  authToken.answer(() => ({ status: 204 }))
})

const entriesOf = (merchantId: string | null) =>
  authToken.requests.map(({ body }) => body as AuditRecord).filter((entry) => entry.merchant_id === merchantId)
const summary = ({ who, action, target, outcome }: AuditRecord) => `${who} ${action} ${target} ${outcome}`

// Proves: access/endpoint-and-secret-changes-audited
test('each change by a merchant is written to the audit before and after it, without the path of its URL', async () => {
  const api = await fixture.as(dispatcher, 'mer_changes')
  await registerEndpoint(api, `${fixture.receiver.url}/path-secret`)
  await api('POST', `${ENDPOINT}/rotate-secret`)
  await api('POST', '/api/v1/webhooks/deliveries/nothing/resend', { to: 'original' }, { 'x-address-prefix': '203.0.113.0/24' })
  await api('GET', ENDPOINT)
  const { origin } = new URL(fixture.receiver.url)
  const entries = entriesOf('mer_changes')
  expect(entries.map(summary)).toEqual([
    `merchant endpoint.register ${origin} asked`,
    `merchant endpoint.register ${origin} done`,
    'merchant secret.rotate null asked',
    'merchant secret.rotate null done',
    'merchant delivery.resend nothing refused',
  ])
  expect(entries.at(-1)).toMatchObject({ credential_id: 'key_sandbox_test', address_prefix: '203.0.113.0/24' })
  expect(authToken.requests[0]).toMatchObject({ path: '/internal/v1/audit', headers: { authorization: `Bearer ${TOKEN}` } })
  expect(JSON.stringify(entries)).not.toContain('path-secret')
})

// Proves: access/repetition-is-no-entry
test('the URL of today again, enabling what is enabled, and a recovery without dead deliveries are no entries', async () => {
  const api = await fixture.as(dispatcher, 'mer_repeats')
  await registerEndpoint(api, `${fixture.receiver.url}/same`)
  const before = entriesOf('mer_repeats').length
  expect(await api('PUT', ENDPOINT, { url: `${fixture.receiver.url}/same` })).toMatchObject({ status: 200 })
  expect(await api('POST', `${ENDPOINT}/enable`)).toMatchObject({ status: 200 })
  const recovery = { since: '2026-01-01T00:00:00Z', to: 'current' }
  expect((await api('POST', '/api/v1/webhooks/deliveries/recover', recovery)).status).toBeLessThan(300)
  expect(entriesOf('mer_repeats')).toHaveLength(before)
})

// Proves: access/operators-have-names
test('each call of an operator is in the audit before it acts, under the operator’s name', async () => {
  const operator = fixture.operator(dispatcher)
  const path = `/operator/v1/deliveries/dead`
  expect((await operator('GET', `${path}?merchant_id=${MERCHANT_ID}`)).status).toBe(200)
  expect((await operator('POST', `/operator/v1/deliveries/${MERCHANT_ID}/replay`)).status).toBe(404)
  await eventually(() => {
    expect(entriesOf(null).map(summary)).toEqual([
      `operator operator.call GET ${path} asked`,
      `operator operator.call GET ${path} done`,
    ])
    expect(entriesOf(MERCHANT_ID).map(summary)).toEqual([
      `operator operator.call POST /operator/v1/deliveries/${MERCHANT_ID}/replay asked`,
      `operator operator.call POST /operator/v1/deliveries/${MERCHANT_ID}/replay refused`,
    ])
  })
})

// Proves: access/no-change-without-audit
test('while the audit cannot be written nothing is changed, and the answer is 503', async () => {
  const api = await fixture.as(dispatcher, 'mer_unaudited')
  await registerEndpoint(api, `${fixture.receiver.url}/old`)
  authToken.answer(() => ({ status: 500 }))
  const refused = await api('PUT', ENDPOINT, { url: `${fixture.receiver.url}/new` })
  expect(refused).toMatchObject({ status: 503, body: { code: 'audit_unavailable' } })
  expect(refused.headers.get('retry-after')).not.toBeNull()
  expect((await api('GET', ENDPOINT)).body).toMatchObject({ data: { url: `${fixture.receiver.url}/old` } })
  expect((await fixture.operator(dispatcher)('GET', '/operator/v1/deliveries/dead')).status).toBe(503)
})

// Proves: access/outcome-stands-without-its-entry
test('when the audit goes away after a change began, the caller gets its result: a rotated secret is not lost', async () => {
  const api = await fixture.as(dispatcher, 'mer_half_audited')
  await registerEndpoint(api, `${fixture.receiver.url}/old`)
  authToken.answer(({ body }) => ({ status: (body as AuditRecord).outcome === 'asked' ? 204 : 500 }))
  const rotated = await api('POST', `${ENDPOINT}/rotate-secret`)
  expect(rotated).toMatchObject({ status: 200, body: { data: { signing_secret: expect.stringMatching(/^whsec_/u) } } })
  expect((await api('PUT', ENDPOINT, { url: `${fixture.receiver.url}/new` })).status).toBe(200)
  expect((await api('GET', ENDPOINT)).body).toMatchObject({ data: { url: `${fixture.receiver.url}/new` } })
})
