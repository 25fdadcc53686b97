import { randomUUID } from 'node:crypto'
import { EncryptJWT } from 'jose'
import { MERCHANT_TOKEN_MAX_SECONDS } from '@gateway/contracts'

/** What a merchant makes its tokens with. */
export interface ApiKey {
  readonly key_id: string
  readonly key_secret: string
}

export interface TokenClaims {
  readonly audience?: string
  /** Seconds since 1970. */
  readonly issuedAt?: number
  readonly lifetimeSeconds?: number
}

/** The Bearer token as any JOSE library makes it: an encrypted JWT, `dir` with A256GCM (design, section 5; examples/token.mjs). */
export async function makeToken({ key_id, key_secret }: ApiKey, claims: TokenClaims = {}): Promise<string> {
  const { audience = 'sandbox', issuedAt = Math.floor(Date.now() / 1000), lifetimeSeconds = MERCHANT_TOKEN_MAX_SECONDS } = claims
  return new EncryptJWT()
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: key_id })
    .setIssuer(key_id)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .setJti(randomUUID())
    .encrypt(Buffer.from(key_secret, 'base64url'))
}
