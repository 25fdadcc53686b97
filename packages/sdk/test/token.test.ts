import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { jwtDecrypt } from 'jose'
import { readKeyId } from '@gateway/contracts'
import { Gateway, GatewayError } from '@gateway/sdk'
import { credentials, fakeClock, fakeGateway, json, problem } from './fake.ts'

const bytesOf = (secret: string) => Buffer.from(secret, 'base64url')
const found = json(200, { data: { url: 'https://m.example', since: '', disabled: null } })

// Proves: sdk/token-is-the-merchants-jwe
test('the token is one that jose decrypts and whose outside the gateway accepts', async () => {
  const { gateway, clock } = fakeGateway([found])
  const token = await gateway.token()
  expect(readKeyId(token, 'sandbox')).toBe(credentials.key_id)
  const options = { currentDate: new Date(clock.now()), audience: 'sandbox', issuer: credentials.key_id }
  const { payload, protectedHeader } = await jwtDecrypt(token, bytesOf(credentials.key_secret), options)
  expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', kid: credentials.key_id })
  expect(Object.keys(payload).toSorted()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti'])
  // Dated back, since a clock may be ahead of the gateway's; the whole life is below the gateway's limit of ten minutes.
  expect([payload.iat, payload.exp]).toEqual([clock.now() / 1000 - 120, clock.now() / 1000 + 300])
})

// Proves: sdk/harmless-differences-are-accepted
test('a credential with spaces and a line break around it is the credential', async () => {
  const padded = { key_id: ` ${credentials.key_id}\n`, key_secret: `\t${credentials.key_secret}\r\n` }
  const token = await new Gateway({ baseUrl: 'https://g.example', credentials: padded }).token()
  const { payload } = await jwtDecrypt(token, bytesOf(credentials.key_secret))
  expect(payload.iss).toBe(credentials.key_id)
})

test('any 32 bytes are a key, and no two tokens are equal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (bytes) => {
      const key_secret = Buffer.from(bytes).toString('base64url')
      const mint = () => new Gateway({ baseUrl: 'https://g.example', credentials: { ...credentials, key_secret } }).token()
      const [one, other] = await Promise.all([mint(), mint()])
      expect(one).not.toBe(other)
      const { payload } = await jwtDecrypt(one, bytes)
      expect(payload.iss).toBe(credentials.key_id)
    }),
    { numRuns: 50 },
  )
})

test('a live key makes tokens for production', async () => {
  const live = { ...credentials, key_id: credentials.key_id.replace('sandbox', 'live') }
  const token = await new Gateway({ baseUrl: 'https://g.example', credentials: live }).token()
  expect((await jwtDecrypt(token, bytesOf(live.key_secret))).payload.aud).toBe('production')
})

test('a token is minted once for callers at the same time, and again after 80 % of its life', async () => {
  const { gateway, sent, clock } = fakeGateway([found])
  const authorizations = () => new Set(sent.map(({ headers }) => headers['authorization'])).size
  await Promise.all([gateway.endpoint.get(), gateway.endpoint.get(), gateway.endpoint.get()])
  clock.advance(239_999)
  await gateway.endpoint.get()
  expect(authorizations()).toBe(1)
  clock.advance(1)
  await gateway.endpoint.get()
  expect(authorizations()).toBe(2)
  clock.advance(-10_000)
  await gateway.endpoint.get()
  expect(authorizations()).toBe(3)
})

// Proves: sdk/expired-token-is-minted-once-more
test('token_expired mints once more, also without retries; a second one is thrown', async () => {
  const { gateway, sent } = fakeGateway([problem(401, 'token_expired'), found], { maxRetries: 0 })
  expect(await gateway.endpoint.get()).toMatchObject({ url: 'https://m.example' })
  expect(sent[0]?.headers['authorization']).not.toBe(sent[1]?.headers['authorization'])

  const refused = fakeGateway([problem(401, 'token_expired')])
  await expect(refused.gateway.endpoint.get()).rejects.toMatchObject({ code: 'token_expired', status: 401 })
  expect(refused.sent).toHaveLength(2)
})

test('another 401 is thrown at once', async () => {
  const { gateway, sent } = fakeGateway([problem(401, 'token_invalid')])
  await expect(gateway.endpoint.get()).rejects.toMatchObject({ name: 'ApiError', code: 'token_invalid' })
  expect(sent).toHaveLength(1)
})

// Proves: sdk/missing-keys-throw-at-the-first-call
test.each([
  ['no credentials', undefined, /needs credentials/u],
  ['no secret', { key_id: credentials.key_id, key_secret: '' }, /needs credentials/u],
  ['a foreign key id', { ...credentials, key_id: 'rzp_test_1' }, /key_sandbox_ or key_live_/u],
  ['a short secret', { ...credentials, key_secret: randomBytes(16).toString('base64url') }, /32 bytes/u],
  ['a secret that is not base64', { ...credentials, key_secret: '€'.repeat(43) }, /32 bytes/u],
])('%s: making the client works, the first call says what is missing', async (_name, wrong, message) => {
  const gateway = new Gateway({ baseUrl: 'https://g.example', clock: fakeClock(), ...(wrong ? { credentials: wrong } : {}) })
  const failed = await gateway.orders.find('ORD-1').catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(GatewayError)
  expect(String(failed)).toMatch(message)
  if (wrong?.key_secret) expect(String(failed)).not.toContain(wrong.key_secret)
})
