/** Replicas whose clocks differ from the merchant's and the services' by 30 s. */
import type { AuthTokenResponse, ExchangedTokens } from '@gateway/contracts'
import { createInternalTokenVerifier } from '@gateway/service-kit/merchant-auth'
import {
  dropDatabase,
  merchantToken,
  readJson,
  send,
  TestAuthToken,
  testConfig,
  type TestCredential,
} from './running-auth-token.ts'

const SKEWS_MS = [-30_000, 0, 30_000]
/** A gateway uses a token no longer than until this long before its end (exchange-tokens.ts). */
const GATEWAY_MARGIN_MS = 35_000

const config = testConfig()
const clock = (skewMs: number) => () => new Date(Date.now() + skewMs)
let replicas: { readonly auth: TestAuthToken; readonly skewMs: number }[]
let merchant: TestCredential

beforeAll(async () => {
  replicas = await Promise.all(
    SKEWS_MS.map(async (skewMs) => ({ auth: await TestAuthToken.start(config, { now: clock(skewMs) }), skewMs })),
  )
  merchant = await first().newMerchant()
})
afterAll(async () => {
  for (const { auth } of replicas) await auth.stop()
  await dropDatabase(config)
})

function first(): TestAuthToken {
  const [replica] = replicas
  if (!replica) throw new Error('replicas are running')
  return replica.auth
}

// Proves: faults/clock-skew-loses-nothing
test('a merchant’s token is exchanged by every replica, and services accept the internal token as long as gateways use it', async () => {
  for (const { auth, skewMs } of replicas) {
    const exchanged = await readJson<ExchangedTokens>(await auth.exchange(await merchantToken(merchant)))
    expect(exchanged).toMatchObject({ merchant_id: merchant.merchant_id })
    const lastUseMs = new Date(exchanged.expires_at).getTime() - GATEWAY_MARGIN_MS
    // The gateway's clock may be like auth-token's, or like the service's.
    for (const serviceSkewMs of SKEWS_MS.filter((other) => Math.abs(other - skewMs) <= 30_000)) {
      const jwksUrl = `${first().url}/internal/v1/jwks.json`
      const service = { jwksUrl, environment: 'sandbox', audience: 'order-api' } as const
      const lastMs = lastUseMs + Math.max(serviceSkewMs - skewMs, 0)
      const verify = createInternalTokenVerifier({ ...service, now: () => new Date(lastMs) })
      await expect(verify(exchanged.internal_tokens['order-api'] ?? '')).resolves.toMatchObject({ credentialId: merchant.key_id })
    }
  }
})

// Proves: faults/clock-skew-loses-nothing
test('a token that one replica makes for a merchant is exchanged by every other', async () => {
  for (const { auth } of replicas) {
    const { key_id, key_secret } = merchant
    const issued = await readJson<AuthTokenResponse>(await send('POST', `${auth.url}/api/v1/auth/token`, { key_id, key_secret }))
    for (const other of replicas) expect(await other.auth.exchange(issued.token)).toMatchObject({ status: 200 })
  }
})

// Proves: faults/clock-skew-loses-nothing
test('a revocation by any replica is in the next answer of every other, whatever times the gateway has seen', async () => {
  for (const { auth } of replicas) {
    const revoked = await auth.newMerchant()
    const answers = await Promise.all(
      replicas.map(async (other) => readJson<{ as_of: string }>(await other.auth.internal('GET', '/revocations'))),
    )
    expect(await auth.revoke(revoked)).toMatchObject({ status: 204 })
    for (const { as_of: since } of answers) {
      for (const other of replicas) {
        const path = `/revocations?since=${encodeURIComponent(since)}`
        const { credential_ids: ids } = await readJson<{ credential_ids: string[] }>(await other.auth.internal('GET', path))
        expect(ids).toContain(revoked.key_id)
      }
    }
  }
})
