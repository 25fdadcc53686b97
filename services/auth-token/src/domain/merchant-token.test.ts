import { readKeyId, Refused } from '@gateway/contracts'
import { readClaims } from './merchant-token.ts'

const keyId = `key_sandbox_${'a1'.repeat(12)}`
const nowSeconds = 1_800_000_000
const expected = { keyId, environment: 'sandbox', now: new Date(nowSeconds * 1000) } as const
const claims = { iss: keyId, aud: 'sandbox', iat: nowSeconds, exp: nowSeconds + 600, jti: 't-1' }

const read = (changed: object) => readClaims(JSON.stringify({ ...claims, ...changed }), expected)
const jwe = (header: unknown, rest = `..${'n'.repeat(16)}.ciphertext.${'t'.repeat(22)}`) =>
  Buffer.from(typeof header === 'string' ? header : JSON.stringify(header)).toString('base64url') + rest
/** The code of the error that a call throws. */
function codeOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error instanceof Refused ? error.code : error
  }
}
const header = { alg: 'dir', enc: 'A256GCM', kid: keyId }

// Proves: api/token-claims, api/token-not-from-the-future
test.each([
  ['the longest allowed lifetime', {}, nowSeconds + 630],
  ['made by a clock that is 30 s ahead', { iat: nowSeconds + 30, exp: nowSeconds + 40 }, nowSeconds + 70],
  ['expired within the tolerance', { iat: nowSeconds - 100, exp: nowSeconds - 29 }, nowSeconds + 1],
  ['the audience is a list of one', { aud: ['sandbox'] }, nowSeconds + 630],
  ['times with fractions', { iat: nowSeconds - 0.5, exp: nowSeconds + 9.9 }, nowSeconds + 39],
  ['a claim of the merchant’s own', { store: 'one' }, nowSeconds + 630],
])('accepted: %s', (_name, changed, endsAt) => {
  expect(read(changed)).toEqual({ endsAt })
})

// Proves: spec/token-short-lived, api/token-claims, api/token-not-from-the-future
test.each([
  ['token_expired', 'expired', { iat: nowSeconds - 600, exp: nowSeconds - 30 }],
  ['token_invalid', 'lives 601 s', { exp: nowSeconds + 601 }],
  ['token_invalid', 'ends before it begins', { exp: nowSeconds - 1 }],
  ['token_invalid', 'made 31 s in the future', { iat: nowSeconds + 31, exp: nowSeconds + 60 }],
  ['token_invalid', 'not yet valid', { nbf: nowSeconds + 31 }],
  ['token_invalid', 'another issuer', { iss: `key_sandbox_${'b2'.repeat(12)}` }],
  ['token_invalid', 'another environment', { aud: 'production' }],
  ['token_invalid', 'both environments', { aud: ['sandbox', 'production'] }],
  ['token_invalid', 'no audience', { aud: undefined }],
  ['token_invalid', 'no jti', { jti: undefined }],
  ['token_invalid', 'an empty jti', { jti: '' }],
  ['token_invalid', 'a jti too long', { jti: 'x'.repeat(129) }],
  ['token_invalid', 'a jti that is no string', { jti: 5 }],
  ['token_invalid', 'times as strings', { iat: String(nowSeconds) }],
  ['token_invalid', 'no iat', { iat: undefined }],
  ['token_invalid', 'no exp', { exp: undefined }],
  ['token_invalid', 'an endless exp', { exp: 1e300 }],
  ['token_invalid', 'an operator object as the issuer', { iss: { $gt: '' } }],
])('%s: %s', (code, _name, changed) => {
  expect(codeOf(() => read(changed))).toBe(code)
})

// Proves: api/wrong-clocks-are-named
test.each([
  [/valid only in 40 s, by the gateway's clock: set your clock/u, { iat: nowSeconds + 39.5, exp: nowSeconds + 600 }],
  [/valid only in 90 s, by the gateway's clock/u, { nbf: nowSeconds + 90 }],
  [/expired 312 s ago; .*set your clock if it is new/u, { iat: nowSeconds - 600, exp: nowSeconds - 312 }],
])('a wrong clock is named with its difference: %p', (detail, changed) => {
  expect(() => read(changed)).toThrow(detail)
})

test.each(['', 'null', '[]', '"text"', '{'])('claims of %j are invalid', (text) => {
  expect(codeOf(() => readClaims(text, expected))).toBe('token_invalid')
})

test.each([{}, { typ: 'JWT' }])('the key id is read from a header that also has %j', (more) => {
  expect(readKeyId(jwe({ ...header, ...more }), 'sandbox')).toBe(keyId)
})

// Proves: api/token-is-jwe-dir-a256gcm, faults/token-with-manipulated-header
test.each([
  ['another alg', jwe({ ...header, alg: 'A256KW' })],
  ['alg none', jwe({ ...header, alg: 'none' })],
  ['another enc', jwe({ ...header, enc: 'A128CBC-HS256' })],
  ['zip', jwe({ ...header, zip: 'DEF' })],
  ['crit', jwe({ ...header, crit: ['exp'], exp: 1 })],
  ['a key of its own', jwe({ ...header, jwk: {} })],
  ['no kid', jwe({ ...header, kid: undefined })],
  ['a kid that is no string', jwe({ ...header, kid: { $ne: '' } })],
  ['a kid of the other environment', jwe({ ...header, kid: keyId.replace('sandbox', 'live') })],
  ['a header that is no JSON', jwe('nonsense')],
  ['an encrypted key', jwe(header, `.a.${'n'.repeat(16)}.c.${'t'.repeat(22)}`)],
  ['a short tag', jwe(header, `..${'n'.repeat(16)}.c.${'t'.repeat(8)}`)],
  ['a JWS', jwe({ alg: 'HS256' }, '.e30.c2ln')],
  ['too long', jwe(header, `..${'n'.repeat(16)}.${'c'.repeat(5000)}.${'t'.repeat(22)}`)],
])('not a merchant’s token: %s', (_name, token) => {
  expect(codeOf(() => readKeyId(token, 'sandbox'))).toBe('token_invalid')
})
