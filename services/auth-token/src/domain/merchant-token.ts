import { compile, MERCHANT_TOKEN_MAX_SECONDS, Refused, tokenInvalid } from '@gateway/contracts'
import type { Environment } from './merchant.ts'

/** The rules for the claims in a merchant's token (design, section 5; RFC 7519). The rules for its outside are in contracts. */

/** How far a merchant's clock may differ, and the clocks of two replicas, in seconds. */
export const CLOCK_TOLERANCE_SECONDS = 30

const seconds = { type: 'number', minimum: 0, maximum: 1e11 } as const
const isClaims = compile({
  type: 'object',
  required: ['iss', 'aud', 'iat', 'exp', 'jti'],
  properties: {
    iss: { type: 'string' },
    // Some libraries always write a list; a list of one entry means the same (RFC 7519, section 4.1.3).
    aud: { type: ['string', 'array'], items: { type: 'string' }, minItems: 1, maxItems: 1 },
    iat: seconds,
    exp: seconds,
    nbf: seconds,
    jti: { type: 'string', minLength: 1, maxLength: 128 },
  },
})

/** When the token expires, clock tolerance included, in seconds since 1970. Throws `token_invalid` or `token_expired`. */
export function readClaims(text: string, expected: { keyId: string; environment: Environment; now: Date }): { endsAt: number } {
  const claims = parseJson(text)
  if (!isClaims(claims)) throw tokenInvalid()
  const audience = typeof claims.aud === 'string' ? claims.aud : claims.aud[0]
  if (claims.iss !== expected.keyId || audience !== expected.environment) throw tokenInvalid()

  // Both times come from the merchant's clock, so the lifetime needs no tolerance.
  const lifetimeSeconds = claims.exp - claims.iat
  if (lifetimeSeconds <= 0 || lifetimeSeconds > MERCHANT_TOKEN_MAX_SECONDS) throw tokenInvalid()

  const nowSeconds = expected.now.getTime() / 1000
  // Only the owner of the secret gets these two answers, so they may name the difference of the clocks.
  const aheadSeconds = Math.ceil(Math.max(claims.iat, claims.nbf ?? 0) - nowSeconds)
  if (aheadSeconds > CLOCK_TOLERANCE_SECONDS)
    throw new Refused('token_invalid', `The token is valid only in ${aheadSeconds} s, by the gateway's clock: set your clock`)
  const endsAt = Math.floor(claims.exp) + CLOCK_TOLERANCE_SECONDS
  const sinceSeconds = Math.ceil(nowSeconds - claims.exp)
  if (endsAt <= nowSeconds)
    throw new Refused('token_expired', `The token expired ${sinceSeconds} s ago; make a new one, or set your clock if it is new`)
  return { endsAt }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw tokenInvalid()
  }
}
