import { createPrivateKey, createPublicKey } from 'node:crypto'
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
export async function importEd25519(privateD: Buffer): Promise<CryptoKey> {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicXOf(privateD), d: privateD.toString('base64url') }
  const key = await importJWK(jwk, ALGORITHM)
  if (key instanceof Uint8Array) throw new Error('the imported Ed25519 key must be a CryptoKey')
  return key
}

/** The DER of a PKCS #8 Ed25519 key up to its 32 private bytes (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The public point that belongs to a private key, base64url. */
export function publicXOf(privateD: Buffer): string {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, privateD]), format: 'der', type: 'pkcs8' })
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  if (x === undefined) throw new Error('the private key has no public point')
  return x
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

/** Signs an internal token. Times are in seconds since 1970. */
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
