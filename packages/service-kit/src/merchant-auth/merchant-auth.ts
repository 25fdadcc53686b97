import { createRemoteJWKSet, errors, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { isScope, Refused, Unavailable, type InternalClaims, type MerchantService, type Scope } from '@gateway/contracts'
import { bearerToken } from '../http/bearer.ts'
import { noteCaller } from '../logging/correlation.ts'
import type { Environment } from '../config/reader.ts'

/** The calling merchant, proven by the internal token. */
export interface MerchantIdentity {
  readonly merchantId: string
  readonly credentialId: string
  readonly name: string
  readonly vpa: string
  readonly mcc: string
  /** What the credential may do. */
  readonly scopes: readonly Scope[]
  /** When the credential expires. */
  readonly credentialEndsAt?: Date
}

export type VerifyInternalToken = (token: string) => Promise<MerchantIdentity>

export const INTERNAL_TOKEN_ISSUER = 'auth-token'

/** The address of auth-token's keys (`JWKS_URL`), or the keys themselves. */
type KeySource = { readonly jwksUrl: string } | { readonly keys: JWTVerifyGetKey }

function remoteKeys(jwksUrl: string): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwksUrl), { cooldownDuration: 2000, timeoutDuration: 2000 })
}

interface VerifierOptions {
  readonly environment: Environment
  /** This service: a token that was made for another one is refused. */
  readonly audience: MerchantService
  readonly now: () => Date
}

/** Verifies the gateway's internal token (EdDSA JWS, design section 5) against auth-token's keys. A verified token is cached until it expires. */
export function createInternalTokenVerifier(options: VerifierOptions & KeySource): VerifyInternalToken {
  const keys = 'keys' in options ? options.keys : remoteKeys(options.jwksUrl)
  const verified = new LRUCache<string, { identity: MerchantIdentity; expiresAtMs: number }>({ max: 10_000 })
  return async (token) => {
    const now = options.now()
    const known = verified.get(token)
    if (known && known.expiresAtMs > now.getTime()) return known.identity
    const { payload } = await jwtVerify<InternalClaims>(token, keys, {
      algorithms: ['EdDSA'],
      issuer: INTERNAL_TOKEN_ISSUER,
      audience: options.audience,
      requiredClaims: ['exp', 'sub', 'cid'],
      currentDate: now,
    }).catch((error: unknown) => {
      throw isTokenFault(error)
        ? new Refused('token_invalid', 'The internal token is not valid')
        : new Unavailable('keys_unavailable', 'The keys that verify tokens are unavailable; try again', { cause: error })
    })
    if (payload.env !== options.environment) throw new Refused('token_invalid', 'The internal token is for another environment')
    const identity = {
      merchantId: payload.sub,
      credentialId: payload.cid,
      name: payload.name,
      vpa: payload.vpa,
      mcc: payload.mcc,
      scopes: payload.scp.filter(isScope),
      ...(payload.cxp !== undefined && { credentialEndsAt: new Date(payload.cxp * 1000) }),
    }
    verified.set(token, { identity, expiresAtMs: (payload.exp ?? 0) * 1000 })
    return identity
  }
}

/** A request, as Express and hot routes give it. */
export interface Authorized {
  /** Looks a header up by its lower-case name. */
  readonly get: (name: string) => string | undefined
}

/**
 * The merchant of a request's internal token; no other header is trusted. Throws `Refused` (`token_missing`, `token_invalid`, or
 * `scope_missing` when the credential may not do this) or `Unavailable` while the keys cannot be read.
 */
export type Identify = (request: Authorized, scope: Scope) => Promise<MerchantIdentity>

export function makeIdentify(verify: VerifyInternalToken): Identify {
  return async (request, scope) => {
    const token = bearerToken(request.get('authorization'))
    if (token === undefined) throw new Refused('token_missing', 'The authorization header has no bearer token')
    const merchant = await verify(token)
    noteCaller({ credentialId: merchant.credentialId })
    if (!merchant.scopes.includes(scope)) throw new Refused('scope_missing', `This needs a credential with the scope "${scope}"`)
    return merchant
  }
}

/** True when the token is at fault, false when the key server is unavailable. */
function isTokenFault(error: unknown): boolean {
  return error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== 'ERR_JOSE_GENERIC'
}
