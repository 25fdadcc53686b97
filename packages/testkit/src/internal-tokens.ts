import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { DEFAULT_SCOPES, MERCHANT_SERVICES, type InternalClaims, type MerchantService, type Scope } from '@gateway/contracts'
import { INTERNAL_TOKEN_ISSUER } from '@gateway/service-kit/merchant-auth'

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

export interface TestTokens {
  /** For a service's `JWKS_URL`. */
  readonly jwksUrl: string
  /** An internal token as the gateway sends it; by default valid for ten minutes, longer than a slow test takes, at every service. */
  tokenFor(merchant: TestMerchant, options?: { expiresInSeconds?: number; audience?: MerchantService }): Promise<string>
  /** The `authorization` header for it. */
  authorizationFor(merchant: TestMerchant, audience?: MerchantService): Promise<{ authorization: string }>
  stop(): Promise<void>
}

/** Replaces auth-token in tests: a key pair, its JWK set over HTTP, and internal tokens for any merchant. */
export async function startTestTokens(): Promise<TestTokens> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'EdDSA', use: 'sig' }] }
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening server has an address')

  const tokenFor: TestTokens['tokenFor'] = (merchant, { expiresInSeconds = 600, audience } = {}) => {
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
      .setAudience(audience ?? [...MERCHANT_SERVICES])
      .setIssuedAt(now)
      .setExpirationTime(now + expiresInSeconds)
      .sign(privateKey)
  }
  return {
    jwksUrl: `http://127.0.0.1:${address.port}/internal/v1/jwks.json`,
    tokenFor,
    authorizationFor: async (merchant, audience) => ({
      authorization: `Bearer ${await tokenFor(merchant, audience && { audience })}`,
    }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
