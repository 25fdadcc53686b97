import { Refused, Unavailable, type ExchangedTokens, type MerchantService } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { createRateLimiter } from '@gateway/service-kit/limits'
import { createExchangeGate, createStrangerGate } from './admit-strangers.ts'
import { makeExchangeTokens, REMEMBER_MS } from './exchange-tokens.ts'
import { createRevocationWatch, FRESH_MS } from './watch-revocations.ts'

const ADDRESS = '192.0.2.1'

/** A token of the right form; `name` is in its ciphertext, and its credential is `name` unless another is given. */
function tokenOf(name: string, credential = name): string {
  const kid = `key_sandbox_${Buffer.from(credential.padEnd(12)).toString('hex').slice(0, 24)}`
  const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid })).toString('base64url')
  return `${header}..${'n'.repeat(16)}.${Buffer.from(name).toString('base64url')}.${'t'.repeat(22)}`
}

const nameIn = (token: string) => Buffer.from(token.split('.')[3] ?? '', 'base64url').toString()

/** A fake auth-token, and a clock that the test moves. */
function start(perAddress = 0, perMerchant = 0) {
  const clock = { ms: 1_800_000_000_000 }
  const exchanged: string[] = []
  const asked: string[] = []
  const state = {
    revoked: new Set<string>(),
    down: false,
    exchangeDown: false,
    expiresInMs: 60_000,
    since: [] as (string | undefined)[],
  }
  const revocations = createRevocationWatch({
    fetchRevocations: async (since) => {
      if (state.down) throw new Error('auth-token is down')
      state.since.push(since)
      return { as_of: new Date(clock.ms).toISOString(), credential_ids: [...state.revoked] }
    },
    monotonicMs: () => clock.ms,
    log: silentLog,
  })
  const exchangeToken = async (given: string, services: readonly MerchantService[]): Promise<ExchangedTokens> => {
    const token = nameIn(given)
    exchanged.push(token)
    asked.push(services.join())
    await Promise.resolve()
    if (state.exchangeDown) throw new Unavailable('upstream_unavailable', 'auth-token is down')
    if (state.revoked.has(token) || token.startsWith('junk')) throw new Refused('token_invalid', 'The token is not valid')
    const expiresAt = new Date(clock.ms + state.expiresInMs).toISOString()
    const tokens = Object.fromEntries(services.map((service) => [service, `for ${service} ${exchanged.length}`]))
    return { internal_tokens: tokens, expires_at: expiresAt, merchant_id: 'mer_1', credential_id: token }
  }
  const limiter = (perSecond: number) => createRateLimiter(perSecond, () => clock.ms)
  const limits = { create: limiter(perMerchant), read: limiter(perMerchant), write: limiter(perMerchant) }
  const exchangeTokens = makeExchangeTokens({
    exchange: exchangeToken,
    revocations,
    gate: createExchangeGate({ strangers: createStrangerGate(limiter(perAddress)), limits }),
    environment: 'sandbox',
    now: () => new Date(clock.ms),
  })
  const exchange = (name: string, { address = ADDRESS, credential = name } = {}) =>
    exchangeTokens(tokenOf(name, credential), 'payment-status', { address, rate: 'read' })
  /** As the gateway calls: an accepted token pays its merchant's bucket. */
  const call = async (name: string, options: { address?: string; credential?: string } = {}) =>
    limits.read((await exchange(name, options)).merchantId)
  return { clock, exchanged, asked, state, limits, revocations, exchange, exchangeTokens, call }
}

// Proves: api/exchanged-tokens-are-cached
test('a token is exchanged once while the revocation list is fresh', async () => {
  const { exchange, exchanged, revocations, clock } = start()
  await revocations.poll()
  const first = await exchange('a')
  clock.ms += FRESH_MS - 1
  expect(await exchange('a')).toEqual(first)
  expect(exchanged).toEqual(['a'])
})

// Proves: api/internal-tokens-are-for-one-service
test('the services of the payment path share an exchange, and each gets its own token', async () => {
  const { exchangeTokens, exchanged, asked, revocations } = start()
  await revocations.poll()
  const callOf = (service: MerchantService) => exchangeTokens(tokenOf('a'), service, { address: ADDRESS, rate: 'read' })
  const [order, status] = await Promise.all([callOf('order-api'), callOf('payment-status')])
  expect([order.internalToken, status.internalToken]).toEqual(['for order-api 1', 'for payment-status 1'])
  expect(exchangeTokens.cached(tokenOf('a'), 'order-api')).toEqual(order)
  expect(exchanged).toHaveLength(1)

  expect(exchangeTokens.cached(tokenOf('a'), 'webhook-dispatcher')).toBeUndefined()
  expect(await callOf('webhook-dispatcher')).toMatchObject({ internalToken: 'for webhook-dispatcher 2' })
  expect(asked).toEqual(['order-api,payment-status', 'webhook-dispatcher'])
})

test('concurrent requests share one exchange, also one that is refused', async () => {
  const { exchange, exchanged, state } = start()
  state.revoked.add('bad')
  const good = await Promise.all([exchange('a'), exchange('a'), exchange('a')])
  expect(new Set(good.map(({ internalToken }) => internalToken)).size).toBe(1)
  const bad = await Promise.allSettled([exchange('bad'), exchange('bad')])
  expect(bad.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(exchanged).toEqual(['a', 'bad'])
})

// Proves: api/revocations-are-polled
test('without a fresh revocation list every token is introspected', async () => {
  const { exchange, exchanged, revocations, clock, state } = start()
  await exchange('a')
  await exchange('a')
  expect(exchanged).toHaveLength(2)
  await revocations.poll()
  await exchange('a')
  expect(exchanged).toHaveLength(2)
  state.down = true
  clock.ms += FRESH_MS
  await revocations.poll()
  await exchange('a')
  await exchange('a')
  expect(exchanged).toHaveLength(4)
})

test('the next poll drops a revoked credential’s cached token, and it is not cached again', async () => {
  const { exchange, exchanged, revocations, state, clock } = start()
  await revocations.poll()
  await exchange('a')
  state.revoked.add('a')
  await revocations.poll()
  for (let count = 0; count < 2; count++) {
    await expect(exchange('a')).rejects.toMatchObject({ code: 'token_invalid' })
    clock.ms += REMEMBER_MS
  }
  expect(exchanged).toHaveLength(3)
})

test('a token that was exchanged while its credential was revoked is not used a second time', async () => {
  const { exchange, exchanged, revocations, state } = start()
  await revocations.poll()
  const slow = exchange('a')
  state.revoked.add('b')
  await revocations.poll()
  await slow
  await expect(exchange('b')).rejects.toMatchObject({ code: 'token_invalid' })
  state.revoked.add('a')
  await revocations.poll()
  await expect(exchange('a')).rejects.toMatchObject({ code: 'token_invalid' })
  expect(exchanged).toEqual(['a', 'b', 'a'])
})

// Proves: faults/clock-skew-loses-nothing
test('an internal token is not used when a service whose clock is 30 s ahead might refuse it', async () => {
  const { exchange, exchanged, revocations, clock } = start()
  await exchange('a')
  clock.ms += 24_999
  await revocations.poll()
  await exchange('a')
  expect(exchanged).toHaveLength(1)
  clock.ms += 1
  await exchange('a')
  expect(exchanged).toHaveLength(2)
})

// Proves: api/revocations-are-polled
test('each poll asks for the revocations since the last answer', async () => {
  const { revocations, state, clock } = start()
  await revocations.poll()
  state.down = true
  await revocations.poll()
  state.down = false
  const asOf = new Date(clock.ms).toISOString()
  clock.ms += 300
  await revocations.poll()
  expect(state.since).toEqual([undefined, asOf])
})

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error: unknown) => (error instanceof Refused || error instanceof Unavailable ? String(error.code) : error),
  )

// Proves: api/unknown-tokens-are-limited
test('an address pays for unknown tokens before they are exchanged: 2,000 cause no more exchanges than the limit', async () => {
  const { exchange, exchanged } = start(20)
  const codes = await Promise.all(Array.from({ length: 2000 }, (_, index) => codeOf(exchange(`junk ${index}`))))
  expect(exchanged).toHaveLength(20)
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(1980)
  expect(await codeOf(exchange('a', { address: '192.0.2.2' }))).toBe('accepted')
})

// Proves: api/unknown-tokens-are-limited
test('a token that no credential of this environment can have made is never exchanged', async () => {
  const { exchangeTokens, exchanged } = start()
  const header = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url')
  const rest = `..${'n'.repeat(16)}.x.${'t'.repeat(22)}`
  const kid = `key_live_${'a1'.repeat(12)}`
  const tokens = ['nonsense', `x${rest}`, header({ alg: 'dir', enc: 'A256GCM', kid }) + rest, header({ alg: 'none' }) + rest]
  for (const token of tokens)
    expect(await codeOf(exchangeTokens(token, 'payment-status', { address: ADDRESS, rate: 'read' }))).toBe('token_invalid')
  expect(exchanged).toEqual([])
})

// Proves: api/unknown-tokens-are-limited
test('a refusal is remembered briefly, and each repetition counts', async () => {
  const { exchange, exchanged, clock } = start(2)
  const ask = () => codeOf(exchange('junk'))
  expect([await ask(), await ask(), await ask()]).toEqual(['token_invalid', 'token_invalid', 'rate_limited'])
  expect(exchanged).toHaveLength(1)
  clock.ms += REMEMBER_MS
  expect(await ask()).toBe('token_invalid')
  expect(exchanged).toHaveLength(2)
})

// Proves: api/flood-spares-known-merchants
test('a valid token costs nothing, nor does one that auth-token could not check', async () => {
  const { exchange, state } = start(2)
  for (let count = 0; count < 10; count++) expect(await codeOf(exchange(`valid ${count}`))).toBe('accepted')
  state.exchangeDown = true
  for (let count = 0; count < 10; count++) expect(await codeOf(exchange(`new ${count}`))).toBe('upstream_unavailable')
})

// Proves: api/flood-spares-known-merchants
test('a flood from its own address spares a merchant whose credential was accepted there before', async () => {
  const { exchange } = start(2)
  const mine = { credential: 'mine' }
  expect(await codeOf(exchange('first', mine))).toBe('accepted')
  for (let count = 0; count < 5; count++) await codeOf(exchange(`junk ${count}`))
  expect(await codeOf(exchange('stranger'))).toBe('rate_limited')
  const many = Array.from({ length: 50 }, (_, index) => codeOf(exchange(`fresh ${index}`, mine)))
  expect(new Set(await Promise.all(many))).toEqual(new Set(['accepted']))
})

// Proves: api/unknown-tokens-are-limited
test('wrong tokens under a known credential are limited by a bucket of their own', async () => {
  const { exchange, exchanged } = start(2)
  const mine = { credential: 'mine' }
  await exchange('first', mine)
  const codes: unknown[] = []
  for (let count = 0; count < 100; count++) codes.push(await codeOf(exchange(`junk ${count}`, mine)))
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(98)
  expect(exchanged).toHaveLength(3)
  expect(await codeOf(exchange('stranger'))).toBe('accepted')
})

// Proves: api/merchants-over-their-limit-cause-no-exchange
test.each(['one after the other', 'at once'])(
  '200 fresh tokens of a merchant, %s, cause no more exchanges than its limit',
  async (how) => {
    const { call, exchanged } = start(0, 2)
    const mine = { credential: 'mine' }
    const codes: unknown[] = []
    if (how === 'at once') codes.push(...(await Promise.all(numbers(200).map((index) => codeOf(call(`fresh ${index}`, mine))))))
    else for (const index of numbers(200)) codes.push(await codeOf(call(`fresh ${index}`, mine)))
    expect(codes.filter((code) => code === 'accepted')).toHaveLength(2)
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(198)
    expect(exchanged).toHaveLength(2)
  },
)

// Proves: api/merchants-over-their-limit-cause-no-exchange
test('a merchant over its limit causes no exchange from another address either', async () => {
  const { call, exchanged, clock } = start(0, 2)
  const from = (index: number) => call(`fresh ${index}`, { credential: 'mine', address: `192.0.2.${index}` })
  for (const index of numbers(200)) await codeOf(from(index))
  expect(exchanged).toHaveLength(2)
  clock.ms += 500
  expect(await codeOf(from(200))).toBe('accepted')
})

// Proves: api/forged-key-ids-use-up-no-bucket
test('forged tokens under the key id of a merchant use up nothing of its bucket, and their address pays', async () => {
  const { call, exchanged, limits } = start(3, 2)
  const forger = { credential: 'mine', address: '192.0.2.66' }
  expect(await codeOf(call('first', { credential: 'mine' }))).toBe('accepted')
  const forged = numbers(100).map((index) => codeOf(call(`junk ${index}`, forger)))
  // The merchant has one token left, and takes it while the forged ones are under way.
  expect(await codeOf(call('second', { credential: 'mine' }))).toBe('accepted')
  expect(new Set(await Promise.all(forged))).toEqual(new Set(['token_invalid', 'rate_limited']))
  expect(exchanged.filter((name) => name.startsWith('junk')).length).toBeLessThanOrEqual(3)
  expect(() => limits.read.check('mer_1')).toThrow()
})
