import { exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey } from 'jose'
import { INTERNAL_TOKEN_ISSUER } from '@gateway/service-kit/merchant-auth'
import type { InternalClaims } from '@gateway/contracts'

/** Internal tokens: EdDSA JWS over Ed25519 (RFC 8037). */
const ALGORITHM = 'EdDSA'

export interface KeyPairBytes {
  /** The public point, base64url. */
  readonly publicX: string
  readonly privateD: Buffer
}

/** A new key pair. */
export async function generateEd25519(): Promise<KeyPairBytes> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true })
  const { x, d } = await exportJWK(privateKey)
  if (x === undefined || d === undefined) throw new Error('the new key has no x or d')
  return { publicX: x, privateD: Buffer.from(d, 'base64url') }
}

/** The private key in the form that signs. */
export async function importEd25519({ publicX, privateD }: KeyPairBytes): Promise<CryptoKey> {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicX, d: privateD.toString('base64url') }
  const key = await importJWK(jwk, ALGORITHM)
  if (key instanceof Uint8Array) throw new Error('the imported Ed25519 key must be a CryptoKey')
  return key
}

/** The public key as an entry of the JWK set (RFC 7517). */
export function publicJwk(kid: string, publicX: string): PublicJwk {
  return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: ALGORITHM, kid, x: publicX }
}

export interface PublicJwk {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly use: 'sig'
  readonly alg: typeof ALGORITHM
  readonly kid: string
  readonly x: string
}

/** Signs an internal token for one audience. Times are in seconds since 1970. */
export function signInternalToken(
  claims: InternalClaims,
  { audience, issuedAt, expiresAt }: { audience: string; issuedAt: number; expiresAt: number },
  { kid, key }: { kid: string; key: CryptoKey },
): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
    .setIssuer(INTERNAL_TOKEN_ISSUER)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(key)
}
