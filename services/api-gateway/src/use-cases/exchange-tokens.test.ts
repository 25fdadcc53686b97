import { Refused, type ExchangedToken } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { makeExchangeTokens } from './exchange-tokens.ts'
import { createRevocationWatch, FRESH_MS } from './watch-revocations.ts'

/** A fake auth-token, and a clock that the test moves. */
function start() {
  const clock = { ms: 1_800_000_000_000 }
  const exchanged: string[] = []
  const state = { revoked: new Set<string>(), down: false, expiresInMs: 60_000, since: [] as (string | undefined)[] }
  const revocations = createRevocationWatch({
    fetchRevocations: async (since) => {
      if (state.down) throw new Error('auth-token is down')
      state.since.push(since)
      return { as_of: new Date(clock.ms).toISOString(), credential_ids: [...state.revoked] }
    },
    monotonicMs: () => clock.ms,
    log: silentLog,
  })
  const exchangeToken = async (token: string): Promise<ExchangedToken> => {
    exchanged.push(token)
    await Promise.resolve()
    if (state.revoked.has(token)) throw new Refused('token_invalid', 'The token is not valid')
    const expiresAt = new Date(clock.ms + state.expiresInMs).toISOString()
    return { internal_token: `internal ${exchanged.length}`, expires_at: expiresAt, merchant_id: 'mer_1', credential_id: token }
  }
  const exchange = makeExchangeTokens({ exchange: exchangeToken, revocations, now: () => new Date(clock.ms) })
  return { clock, exchanged, state, revocations, exchange }
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
  const { exchange, exchanged, revocations, state } = start()
  await revocations.poll()
  await exchange('a')
  state.revoked.add('a')
  await revocations.poll()
  for (let count = 0; count < 2; count++) await expect(exchange('a')).rejects.toMatchObject({ code: 'token_invalid' })
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

test('an internal token is not used in its last seconds', async () => {
  const { exchange, exchanged, revocations, clock } = start()
  await exchange('a')
  clock.ms += 54_999
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
