import { compile, MERCHANT_TOKEN_MAX_SECONDS, Refused } from '@gateway/contracts'
import { isKeyIdOf, type Environment } from './merchant.ts'

/** The rules for a merchant's token, a compact JWE (design, section 5; RFC 7516, RFC 7519). */

/** How far a merchant's clock may differ, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 30

/** Far longer than any real token, and still cheap to check. */
const MAX_TOKEN_LENGTH = 4096

// With `dir` the second part, the encrypted key, is empty. A 96-bit nonce has 16 characters, a 128-bit tag 22.
const COMPACT_JWE = /^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/u

/** Other members are refused: they could select another algorithm, compression, or a key that the sender chose. */
const isHeader = compile({
  type: 'object',
  additionalProperties: false,
  required: ['alg', 'enc', 'kid'],
  properties: {
    alg: { const: 'dir' },
    enc: { const: 'A256GCM' },
    kid: { type: 'string' },
    typ: { type: 'string', pattern: '^[Jj][Ww][Tt]$' },
  },
})

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

/** The id of the credential that the token names in its header. Throws `token_invalid` when it has not the form of a merchant's token. */
export function readKeyId(token: string, environment: Environment): string {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT_JWE.test(token)) throw tokenInvalid()
  const header = parseJson(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString())
  if (!isHeader(header) || !isKeyIdOf(environment, header.kid)) throw tokenInvalid()
  return header.kid
}

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
  if (Math.max(claims.iat, claims.nbf ?? 0) > nowSeconds + CLOCK_TOLERANCE_SECONDS) throw tokenInvalid()
  const endsAt = Math.floor(claims.exp) + CLOCK_TOLERANCE_SECONDS
  if (endsAt <= nowSeconds) throw new Refused('token_expired', 'The token has expired; make a new one')
  return { endsAt }
}

/** One answer for every fault, so that an attacker does not learn which part was right. */
export function tokenInvalid(): Refused {
  return new Refused(
    'token_invalid',
    'The token is not valid: it must be made with an active credential of this environment and expire within ten minutes',
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw tokenInvalid()
  }
}
