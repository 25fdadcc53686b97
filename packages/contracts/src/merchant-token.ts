import { Refused } from './errors.ts'
import { compile, type FromSchema } from './schema.ts'
import { exactFields, integer, requiredFields, text } from './schema-parts.ts'

/** The outside of a merchant's token, a compact JWE (design, section 5; RFC 7516). It can be checked without any key. */

/** Far longer than any real token, and still cheap to check. */
const MAX_TOKEN_LENGTH = 4096

// With `dir` the second part, the encrypted key, is empty. A 96-bit nonce has 16 characters, a 128-bit tag 22.
const COMPACT_JWE = /^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{22}$/u

/** How the ids of credentials begin, by environment. */
export const KEY_PREFIX = { sandbox: 'key_sandbox_', production: 'key_live_' } as const
type Environment = keyof typeof KEY_PREFIX

/** Other members are refused: they could select another algorithm, compression, or a key that the sender chose. */
const isHeader = compile(
  exactFields(
    { alg: { const: 'dir' }, enc: { const: 'A256GCM' }, kid: text },
    { typ: { type: 'string', pattern: '^[Jj][Ww][Tt]$' } },
  ),
)

/** True when the id has the form of this environment's ids. */
export function isKeyIdOf(environment: Environment, keyId: string): boolean {
  return keyId.startsWith(KEY_PREFIX[environment]) && /^[0-9a-f]{24}$/u.test(keyId.slice(KEY_PREFIX[environment].length))
}

/** The id of the credential that the token names in its header. Throws `token_invalid` when it has not the form of a merchant's token. */
export function readKeyId(token: string, environment: Environment): string {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT_JWE.test(token)) throw tokenInvalid()
  const header = parseJson(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString())
  if (!isHeader(header) || !isKeyIdOf(environment, header.kid)) throw tokenInvalid()
  return header.kid
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
    return undefined
  }
}

/** The body of `POST /api/v1/auth/token` (design, section 5): a merchant without a JOSE library asks for its token. */
export const authTokenSchema = exactFields({
  key_id: { type: 'string', minLength: 1, maxLength: 64, description: 'text of 1 to 64 characters' },
  key_secret: { type: 'string', minLength: 1, maxLength: 128, description: 'text of 1 to 128 characters' },
})

export type AuthTokenRequest = FromSchema<typeof authTokenSchema>
export const authTokenRequest = compile(authTokenSchema)

export const authTokenResponseSchema = requiredFields({
  token: text,
  token_type: { const: 'Bearer' },
  expires_in: { ...integer, description: 'seconds from now' },
})
export type AuthTokenResponse = FromSchema<typeof authTokenResponseSchema>

/** The longest that a merchant's token may live, in seconds. */
export const MERCHANT_TOKEN_MAX_SECONDS = 600
