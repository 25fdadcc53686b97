import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { DEFAULT_SCOPES, MERCHANT_SERVICES, type InternalClaims, type MerchantService, type Scope } from '@gateway/contracts'
import { INTERNAL_TOKEN_ISSUER } from '@gateway/service-kit/merchant-auth'
import { startJsonServer } from './json-server.ts'

/** The claims of a merchant that matter to a test; the others have defaults. */
export interface TestMerchant {
  readonly merchantId: string
  readonly credentialId?: string
  readonly name?: string
  readonly vpa?: string
  readonly mcc?: string
  readonly environment?: InternalClaims['env']
  readonly scopes?: readonly Scope[]
  readonly credentialEndsAt?: Date
}

export type TestTokens = Awaited<ReturnType<typeof startTestTokens>>

/** Replaces auth-token in tests: a key pair, its JWK set over HTTP, and internal tokens for any merchant. */
export async function startTestTokens() {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'EdDSA', use: 'sig' }] }
  const server = await startJsonServer(() => ({ status: 200, body: jwks }))

  /** An internal token as the gateway sends it; by default valid for ten minutes, longer than a slow test takes, at every service. */
  const tokenFor = (merchant: TestMerchant, options: { expiresInSeconds?: number; audience?: MerchantService } = {}) => {
    const { expiresInSeconds = 600, audience = [...MERCHANT_SERVICES] } = options
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      env: merchant.environment ?? 'sandbox',
      cid: merchant.credentialId ?? 'key_sandbox_test',
      name: merchant.name ?? 'Test Shop',
      vpa: merchant.vpa ?? 'shop@sandbox',
      mcc: merchant.mcc ?? '5411',
      scp: merchant.scopes ?? DEFAULT_SCOPES,
      ...(merchant.credentialEndsAt && { cxp: merchant.credentialEndsAt.getTime() / 1000 }),
    } satisfies Omit<InternalClaims, 'sub'>
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', kid: 'test' })
      .setSubject(merchant.merchantId)
      .setIssuer(INTERNAL_TOKEN_ISSUER)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + expiresInSeconds)
      .sign(privateKey)
  }
  return {
    /** For a service's `JWKS_URL`. */
    jwksUrl: `${server.url}/internal/v1/jwks.json`,
    tokenFor,
    /** The `authorization` header for it. */
    authorizationFor: async (merchant: TestMerchant, audience?: MerchantService) => ({
      authorization: `Bearer ${await tokenFor(merchant, audience && { audience })}`,
    }),
    stop: () => server.stop(),
  }
}
