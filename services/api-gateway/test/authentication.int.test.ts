import { FRESH_MS } from '../src/use-cases/watch-revocations.ts'
import { randomUUID } from 'node:crypto'
import type { ExchangedTokens } from '@gateway/contracts'
import { createInternalTokenVerifier } from '@gateway/service-kit/merchant-auth'
import { eventually, startTcpProxy, type TcpProxy } from '@gateway/testkit'
import { merchantToken, readJson, type TestAuthToken, type TestCredential } from '@gateway-services/auth-token/testing'
import { FakeService } from './fake-service.ts'
import {
  bearer,
  moreGateways,
  UNREACHABLE,
  post,
  refusalOf,
  startRealAuthToken,
  startTestGateway,
  type TestGateway,
} from './running-gateway.ts'

let real: Awaited<ReturnType<typeof startRealAuthToken>>
let auth: TestAuthToken
let service: FakeService
let proxy: TcpProxy
let gateway: TestGateway
let merchant: TestCredential

beforeAll(async () => {
  real = await startRealAuthToken()
  auth = real.auth
  merchant = await auth.newMerchant()
  service = await FakeService.start()
  proxy = await startTcpProxy({ targetHost: '127.0.0.1', targetPort: Number(new URL(auth.url).port) })
  gateway = await startTestGateway(service.url, { upstreams: { authToken: `http://127.0.0.1:${proxy.port}` } })
})
beforeEach(() => service.reset())
afterEach(() => proxy.restore())
const startGateway = moreGateways(() => service.url)
afterAll(async () => {
  await gateway.stop()
  await proxy.stop()
  await service.stop()
  await real.stop()
})

const create = (token: string, headers: Record<string, string> = {}) =>
  post(`${gateway.url}/api/v1/orders/create`, { order_id: 'ORD-1' }, { ...bearer(token), ...headers })

// Proves: api/internal-token-from-exchange
test('the service gets an internal token that it can verify, the gateway’s request id, and no header that the caller made up', async () => {
  const requestId = randomUUID()
  const forged = {
    'x-request-id': requestId,
    'x-forwarded-for': '1.2.3.4',
    'x-merchant-id': 'mer_other',
    'x-internal': '1',
    'x-address-prefix': '1.2.3.0/24',
  }
  const response = await create(await merchantToken(merchant), forged)
  expect(response.status).toBe(200)

  const { headers, body, path } = service.last
  expect(path).toBe('/api/v1/orders/create')
  expect(body.toString()).toBe('{"order_id":"ORD-1"}')
  const verify = createInternalTokenVerifier({
    jwksUrl: `${auth.url}/internal/v1/jwks.json`,
    environment: 'sandbox',
    audience: 'order-api',
    now: () => new Date(),
  })
  const identity = await verify(String(headers.authorization).replace('Bearer ', ''))
  expect(identity).toMatchObject({ merchantId: merchant.merchant_id, credentialId: merchant.key_id })
  expect(headers['x-request-id']).toBe(response.headers.get('x-request-id'))
  expect(headers['x-request-id']).not.toBe(requestId)
  expect(Object.keys(headers).filter((name) => name.startsWith('x-'))).toEqual(['x-request-id', 'x-address-prefix'])
  expect(headers['x-address-prefix']).toBe('127.0.0.0/24')
})

test('a token issued by auth-token through the gateway works like one that the merchant made', async () => {
  const open = await startGateway({ upstreams: { authToken: auth.url } })
  const response = await post(`${open.url}/api/v1/auth/token`, { key_id: merchant.key_id, key_secret: merchant.key_secret })
  expect(response.status).toBe(200)
  const { token } = await readJson<{ token: string }>(response)
  expect((await create(token)).status).toBe(200)
  const wrong = await post(`${open.url}/api/v1/auth/token`, { key_id: merchant.key_id, key_secret: 'A'.repeat(43) })
  expect(await refusalOf(wrong)).toEqual({ status: 401, code: 'credentials_invalid' })
})

const nowSeconds = () => Math.floor(Date.now() / 1000)

// Proves: spec/requests-carry-bearer-token, spec/calls-use-bearer-token-authorization-header, faults/token-missing-garbled
// Proves: faults/token-expired-or-too-long-lived
test.each<[string, string, () => Promise<Record<string, string>>]>([
  ['token_missing', 'no header', async () => ({})],
  ['token_missing', 'another scheme', async () => ({ authorization: 'Basic YTpi' })],
  ['token_invalid', 'garbled', async () => bearer('nonsense')],
  ['token_expired', 'expired', async () => bearer(await merchantToken(merchant, { nowSeconds: nowSeconds() - 900 }))],
  [
    'token_invalid',
    'too long-lived',
    async () => bearer(await merchantToken(merchant, { claims: { exp: nowSeconds() + 86_400 } })),
  ],
  ['token_invalid', 'for production', async () => bearer(await merchantToken(merchant, { claims: { aud: 'production' } }))],
])('%s: %s', async (code, _name, headers) => {
  const response = await post(`${gateway.url}/api/v1/order/search`, { order_id: 'ORD-1' }, await headers())
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/u)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(await refusalOf(response)).toEqual({ status: 401, code })
  expect(service.seen).toHaveLength(0)
})

// Proves: faults/internal-token-from-outside
test('an internal token is not a merchant’s token', async () => {
  const { internal_tokens: tokens } = await readJson<ExchangedTokens>(await auth.exchange(await merchantToken(merchant)))
  const internal = tokens['order-api'] ?? ''
  expect(internal).toMatch(/^ey/u)
  expect(await refusalOf(await create(internal))).toEqual({ status: 401, code: 'token_invalid' })
})

// Proves: api/revoked-credential-stops-within-second, faults/token-of-revoked-credential
test('a credential stops working within a second of its revocation', async () => {
  const credential = await auth.newMerchant('To be revoked')
  const token = await merchantToken(credential)
  expect((await create(token)).status).toBe(200)
  expect((await auth.revoke(credential)).status).toBe(204)
  await eventually(async () => expect(await refusalOf(await create(token))).toEqual({ status: 401, code: 'token_invalid' }))
  // A cached token is used no longer than this after the last successful poll, however busy the machine is.
  expect(FRESH_MS).toBeLessThan(1000)
})

// Proves: api/retry-after
test.each(['cut', 'freeze'] as const)(
  'while auth-token is unreachable (%s) calls are 503, and work again when it is back',
  async (fault) => {
    const token = await merchantToken(merchant)
    expect((await create(token)).status).toBe(200)
    proxy[fault]()
    const refused = await eventually(async () => {
      const response = await create(token)
      expect(response.status).toBe(503)
      return response
    })
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/u)
    expect(await refusalOf(refused)).toEqual({ status: 503, code: 'upstream_unavailable' })
    proxy.restore()
    await eventually(async () => expect((await create(token)).status).toBe(200))
  },
)

// Proves: api/gateway-answers-healthz-readyz
test('without auth-token the gateway starts, but is not ready', async () => {
  const alone = await startGateway({ upstreams: { authToken: UNREACHABLE } })
  const ready = await fetch(`${alone.url}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toMatchObject({ checks: { 'auth-token': 'down', 'order-api': 'up' } })
  expect((await fetch(`${alone.url}/healthz`)).status).toBe(200)
})

// Proves: api/gateway-answers-healthz-readyz
test('on the metrics port, unreachable upstreams are reported and counted, and the gateway stays ready', async () => {
  const alone = await startGateway({ upstreams: { authToken: UNREACHABLE, orderApi: UNREACHABLE, paymentStatus: UNREACHABLE } })
  const ready = await fetch(`${alone.metricsUrl}/readyz`)
  expect(ready.status).toBe(200)
  expect(await ready.json()).toMatchObject({ status: 'degraded', checks: { 'auth-token': 'down', checkout: 'up' } })
  const metrics = await (await fetch(`${alone.metricsUrl}/metrics`)).text()
  expect(metrics).toContain('dependency_up{dependency="auth-token",service="api-gateway"} 0')

  alone.retire()
  expect((await fetch(`${alone.metricsUrl}/readyz`)).status).toBe(503)
})

// Proves: api/gateway-answers-healthz-readyz
test('an upstream that only some calls need is reported as degraded', async () => {
  const partial = await startGateway({ upstreams: { checkout: UNREACHABLE } })
  const ready = await fetch(`${partial.url}/readyz`)
  expect(ready.status).toBe(200)
  expect(await ready.json()).toMatchObject({ status: 'degraded', checks: { checkout: 'down' } })
})
