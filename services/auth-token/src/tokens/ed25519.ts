import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { INTERNAL_TOKEN_ISSUER } from '@gateway/service-kit/merchant-auth'
import type { InternalClaims } from '@gateway/contracts'

/** Internal tokens: EdDSA JWS over Ed25519 (RFC 8037). */
const ALGORITHM = 'EdDSA'

/** The bytes of a private key, which are random (RFC 8032, section 5.1.5). */
export const PRIVATE_BYTES = 32
/** The DER of a PKCS #8 Ed25519 key up to its private bytes (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The private key with these bytes. */
export function privateKeyOf(bytes: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, bytes]), format: 'der', type: 'pkcs8' })
}

/** The public point that belongs to the private key with these bytes, base64url. */
export function publicXOf(bytes: Buffer): string {
  const { x } = createPublicKey(privateKeyOf(bytes)).export({ format: 'jwk' })
  if (x === undefined) throw new Error('the private key has no public point')
  return x
}

export type PublicJwk = ReturnType<typeof publicJwk>

/** The public key as an entry of the JWK set (RFC 7517). */
export function publicJwk(kid: string, publicX: string) {
  return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: ALGORITHM, kid, x: publicX } as const
}

/** Signs an internal token. Times are in seconds since 1970. */
export function signInternalToken(
  claims: InternalClaims,
  { audience, issuedAt, expiresAt }: { audience: string; issuedAt: number; expiresAt: number },
  { kid, key }: { kid: string; key: KeyObject },
): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
    .setIssuer(INTERNAL_TOKEN_ISSUER)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(key)
}
