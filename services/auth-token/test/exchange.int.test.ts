import { randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import { MERCHANT_SERVICES, type ExchangedTokens, type MerchantService } from '@gateway/contracts'
import { createInternalTokenVerifier } from '@gateway/service-kit/merchant-auth'
import {
  DISPATCHER_TOKEN,
  dropDatabase,
  GATEWAY_TOKEN,
  merchantToken,
  readJson,
  TestAuthToken,
  testConfig,
  type TestCredential,
} from './running-auth-token.ts'

const config = testConfig()
let auth: TestAuthToken
let merchant: TestCredential
let other: TestCredential

beforeAll(async () => {
  auth = await TestAuthToken.start(config)
  merchant = await auth.newMerchant()
  other = await auth.newMerchant('Other')
})
afterAll(async () => {
  await auth.stop()
  await dropDatabase(config)
})

// Proves: spec/flow-step-1-encrypted-token, api/internal-token-from-exchange
test('a merchant’s token is exchanged for an internal one that every service can verify', async () => {
  const before = Math.floor(Date.now() / 1000)
  const response = await auth.exchange(await merchantToken(merchant))
  expect(response.status).toBe(200)
  const exchanged = await readJson<ExchangedTokens>(response)
  const token = exchanged.internal_tokens['order-api'] ?? ''
  expect(exchanged).toMatchObject({ merchant_id: merchant.merchant_id, credential_id: merchant.key_id })

  const verify = verifierOf('order-api')
  await expect(verify(token)).resolves.toEqual({
    merchantId: merchant.merchant_id,
    credentialId: merchant.key_id,
    name: 'Asha Stores',
    vpa: 'asha@sandbox',
    mcc: '5411',
    scopes: ['orders', 'read', 'webhooks', 'credentials'],
  })
  const { iat = 0, exp = 0 } = decodeJwt(token)
  expect(exp - iat).toBeLessThanOrEqual(60)
  expect(iat).toBeGreaterThanOrEqual(before)
  expect(new Date(exchanged.expires_at).getTime()).toBe(exp * 1000)
})

const verifierOf = (audience: MerchantService) =>
  createInternalTokenVerifier({
    jwksUrl: `${auth.url}/internal/v1/jwks.json`,
    ...{ environment: 'sandbox', audience, now: () => new Date() },
  })

// Proves: api/internal-tokens-are-for-one-service
test('one exchange answers with a token for each service that the gateway names, and no service accepts another’s', async () => {
  const response = await auth.exchange(await merchantToken(merchant), 'order-api,payment-status,no-such-service')
  const { internal_tokens: tokens } = await readJson<ExchangedTokens>(response)
  expect(Object.keys(tokens)).toEqual(['order-api', 'payment-status'])
  for (const owner of ['order-api', 'payment-status'] as const) {
    for (const service of MERCHANT_SERVICES) {
      const verified = verifierOf(service)(tokens[owner] ?? '')
      if (service === owner) await expect(verified).resolves.toMatchObject({ merchantId: merchant.merchant_id })
      else await expect(verified).rejects.toMatchObject({ code: 'token_invalid' })
    }
  }
})

// Proves: api/internal-token-ends-with-merchants-token
test('the internal token expires no later than the merchant’s token plus the tolerance', async () => {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const token = await merchantToken(merchant, { claims: { iat: nowSeconds - 60, exp: nowSeconds + 5 } })
  const { expires_at: expiresAt } = await readJson<ExchangedTokens>(await auth.exchange(token))
  expect(new Date(expiresAt).getTime()).toBe((nowSeconds + 35) * 1000)
})

const seconds = () => Math.floor(Date.now() / 1000)
const secretOf = (keySecret: string) => ({ ...merchant, key_secret: keySecret })
const changed = (header: object, claims: object = {}) => merchantToken(merchant, { header, claims })
/** Replaces the header and keeps the rest, as an attacker in between could. */
const withHeader = async (header: object) =>
  [Buffer.from(JSON.stringify(header)).toString('base64url'), ...(await merchantToken(merchant)).split('.').slice(1)].join('.')

// Proves: spec/merchant-makes-encrypted-token, api/token-is-jwe-dir-a256gcm
// Proves: faults/token-expired-or-too-long-lived, faults/token-with-another-secret
// Proves: faults/token-with-manipulated-header
test.each<[string, string, () => Promise<string> | string]>([
  ['token_invalid', 'garbled', () => 'nonsense'],
  ['token_invalid', 'five parts of nonsense', () => 'a.b.c.d.e'],
  ['token_invalid', 'one character changed', async () => flipped(await merchantToken(merchant))],
  ['token_invalid', 'cut short', async () => (await merchantToken(merchant)).slice(0, -6)],
  ['token_expired', 'expired', () => changed({}, { iat: seconds() - 400, exp: seconds() - 31 })],
  ['token_invalid', 'lives too long', () => changed({}, { exp: seconds() + 3600 })],
  ['token_invalid', 'for the other environment', () => changed({}, { aud: 'production' })],
  ['token_invalid', 'made with another merchant’s secret', () => merchantToken(secretOf(other.key_secret))],
  ['token_invalid', 'made with an unknown secret', () => merchantToken(secretOf(randomBytes(32).toString('base64url')))],
  ['token_invalid', 'an unknown key', () => merchantToken({ ...merchant, key_id: `key_sandbox_${'0'.repeat(24)}` })],
  ['token_invalid', 'a key id of production', () => merchantToken({ ...merchant, key_id: `key_live_${'0'.repeat(24)}` })],
  ['token_invalid', 'kid is not iss', () => changed({}, { iss: other.key_id })],
  ['token_invalid', 'kid of another merchant, swapped in', () => changed({ kid: other.key_id })],
  ['token_invalid', 'made in the future', () => changed({}, { iat: seconds() + 60, exp: seconds() + 120 })],
  ['token_invalid', 'no jti', () => changed({}, { jti: undefined })],
  ['token_invalid', 'alg none in the header', () => withHeader({ alg: 'none', kid: merchant.key_id })],
  ['token_invalid', 'another alg in the header', () => withHeader({ alg: 'A256GCMKW', enc: 'A256GCM', kid: merchant.key_id })],
  ['token_invalid', 'another enc in the header', () => withHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: merchant.key_id })],
  ['token_invalid', 'zip in the header', () => withHeader({ alg: 'dir', enc: 'A256GCM', zip: 'DEF', kid: merchant.key_id })],
  [
    'token_invalid',
    'crit in the header',
    () => withHeader({ alg: 'dir', enc: 'A256GCM', crit: ['x'], x: 1, kid: merchant.key_id }),
  ],
  ['token_invalid', 'a really encrypted zip', () => changed({ zip: 'DEF' })],
  ['token_invalid', 'half the key and A128GCM', () => halfKey()],
])('%s: %s', async (code, _name, make) => {
  const response = await auth.exchange(await make())
  expect({ status: response.status, ...(await readJson<{ code: string }>(response)) }).toMatchObject({ status: 401, code })
})

/** Another first character of the ciphertext. */
function flipped(token: string): string {
  const parts = token.split('.')
  return parts.map((part, index) => (index === 3 ? (part.startsWith('A') ? 'B' : 'A') + part.slice(1) : part)).join('.')
}

function halfKey(): Promise<string> {
  const half = Buffer.from(merchant.key_secret, 'base64url').subarray(0, 16).toString('base64url')
  return merchantToken(secretOf(half), { header: { enc: 'A128GCM' } })
}

// Proves: faults/token-of-revoked-credential
test('a revoked credential is refused from the next exchange on', async () => {
  const credential = await auth.newMerchant('Short-lived')
  const token = await merchantToken(credential)
  expect((await auth.exchange(token)).status).toBe(200)
  expect((await auth.revoke(credential)).status).toBe(204)
  const response = await auth.exchange(token)
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ code: 'token_invalid' })
})

// Proves: faults/operator-objects
test.each([
  ['a body without a token', {}, 422],
  ['an operator object', { token: { $gt: '' } }, 422],
])('%s is refused', async (_name, body, status) => {
  expect((await auth.internal('POST', '/tokens/exchange', body)).status).toBe(status)
})

// Proves: api/internal-routes-know-their-callers
test.each([
  ['POST', '/tokens/exchange', DISPATCHER_TOKEN],
  ['GET', '/revocations', DISPATCHER_TOKEN],
  ['POST', '/audit', GATEWAY_TOKEN],
])('%s %s needs the token of a service that may call it', async (method, path, another) => {
  for (const token of ['x'.repeat(36), another]) {
    const response = await auth.internal(method, path, undefined, token)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'unauthorized' })
  }
})
