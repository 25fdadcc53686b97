import { randomBytes } from 'node:crypto'
import { readCallers, readServiceToken, type CallerTokens } from './tokens.ts'
import { readConfig } from './read-config.ts'
import type { Variables } from './source.ts'

const newToken = () => randomBytes(24).toString('base64url')
const [old, next, other] = [newToken(), newToken(), newToken()]
const callers = (variables: Variables): CallerTokens =>
  readConfig({ ENVIRONMENT: 'production', ...variables }, (env) => {
    env.environment()
    return readCallers(env)
  })
const sent = (variables: Variables): string => readConfig(variables, (env) => ({ token: readServiceToken(env) })).token

// Proves: api/caller-tokens-rotate
test('each service has a token, and two while it changes', () => {
  const text = `api-gateway:${old}, api-gateway:${next},checkout:${other}`
  expect(callers({ CALLER_TOKENS: text })).toEqual(
    new Map([
      ['api-gateway', [old, next]],
      ['checkout', [other]],
    ]),
  )
})

test.each([
  ['nothing', {}, /CALLER_TOKENS is required/u],
  ['no name', { CALLER_TOKENS: old }, /CALLER_TOKENS must be/u],
  ['an unknown service', { CALLER_TOKENS: `cart:${old}` }, /CALLER_TOKENS must be/u],
  ['a short token', { CALLER_TOKENS: 'checkout:short' }, /CALLER_TOKENS must be/u],
  ['a typed token', { CALLER_TOKENS: `checkout:${'change-me-'.repeat(4)}` }, /CALLER_TOKENS must be random/u],
  ['three of a service', { CALLER_TOKENS: [old, next, other].map((one) => `checkout:${one}`).join() }, /at most 2/u],
  ['one token for two', { CALLER_TOKENS: `checkout:${old},api-gateway:${old}` }, /must not give two names the same token/u],
])('callers with %s are refused', (_what, variables, problem) => {
  expect(() => callers(variables)).toThrow(problem)
})

test('a service that calls others does not start without a token of its own', () => {
  expect(sent({ SERVICE_TOKEN: old })).toBe(old)
  expect(() => sent({})).toThrow(/SERVICE_TOKEN is required/u)
  expect(() => sent({ SERVICE_TOKEN: 'short' })).toThrow(/SERVICE_TOKEN must have at least/u)
})
