import { Refused, type ExchangedToken } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { makeExchangeTokens } from './exchange-tokens.ts'
import { createRevocationWatch, FRESH_MS } from './watch-revocations.ts'

/** auth-token as the gateway sees it, with a clock that the test moves. */
function start() {
  const clock = { ms: 1_800_000_000_000 }
  const asked: string[] = []
  const state = { revoked: new Set<string>(), away: false, expiresInMs: 60_000, since: [] as (string | undefined)[] }
  const revocations = createRevocationWatch({
    ask: async (since) => {
      if (state.away) throw new Error('away')
      state.since.push(since)
      return { as_of: new Date(clock.ms).toISOString(), credential_ids: [...state.revoked] }
    },
    monotonicMs: () => clock.ms,
    log: silentLog,
  })
  const ask = async (token: string): Promise<ExchangedToken> => {
    asked.push(token)
    await Promise.resolve()
    if (state.revoked.has(token)) throw new Refused('token_invalid', 'The token is not valid')
    const expiresAt = new Date(clock.ms + state.expiresInMs).toISOString()
    return { internal_token: `internal ${asked.length}`, expires_at: expiresAt, merchant_id: 'mer_1', credential_id: token }
  }
  return { clock, asked, state, revocations, exchange: makeExchangeTokens({ ask, revocations, now: () => new Date(clock.ms) }) }
}

test('a token is exchanged once while revocations are fresh', async () => {
  const { exchange, asked, revocations, clock } = start()
  await revocations.poll()
  const first = await exchange('a')
  clock.ms += FRESH_MS - 1
  expect(await exchange('a')).toEqual(first)
  expect(asked).toEqual(['a'])
})

test('requests at the same time share one exchange, also a refused one', async () => {
  const { exchange, asked, state } = start()
  state.revoked.add('bad')
  const good = await Promise.all([exchange('a'), exchange('a'), exchange('a')])
  expect(new Set(good.map(({ internalToken }) => internalToken)).size).toBe(1)
  const bad = await Promise.allSettled([exchange('bad'), exchange('bad')])
  expect(bad.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(asked).toEqual(['a', 'bad'])
})

test('without fresh revocations every request is introspected', async () => {
  const { exchange, asked, revocations, clock, state } = start()
  await exchange('a')
  await exchange('a')
  expect(asked).toHaveLength(2)
  await revocations.poll()
  await exchange('a')
  expect(asked).toHaveLength(2)
  state.away = true
  clock.ms += FRESH_MS
  await revocations.poll()
  await exchange('a')
  await exchange('a')
  expect(asked).toHaveLength(4)
})

test('a revoked credential’s kept token is dropped by the next poll, and not kept again', async () => {
  const { exchange, asked, revocations, state } = start()
  await revocations.poll()
  await exchange('a')
  state.revoked.add('a')
  await revocations.poll()
  for (let count = 0; count < 2; count++) await expect(exchange('a')).rejects.toMatchObject({ code: 'token_invalid' })
  expect(asked).toHaveLength(3)
})

test('a token that was exchanged while its credential was revoked is used no second time', async () => {
  const { exchange, asked, revocations, state } = start()
  await revocations.poll()
  const slow = exchange('a')
  state.revoked.add('b')
  await revocations.poll()
  await slow
  await expect(exchange('b')).rejects.toMatchObject({ code: 'token_invalid' })
  state.revoked.add('a')
  await revocations.poll()
  await expect(exchange('a')).rejects.toMatchObject({ code: 'token_invalid' })
  expect(asked).toEqual(['a', 'b', 'a'])
})

test('an internal token is not used in its last seconds', async () => {
  const { exchange, asked, revocations, clock } = start()
  await exchange('a')
  clock.ms += 54_999
  await revocations.poll()
  await exchange('a')
  expect(asked).toHaveLength(1)
  clock.ms += 1
  await exchange('a')
  expect(asked).toHaveLength(2)
})

test('each poll asks for what came since the last answer', async () => {
  const { revocations, state, clock } = start()
  await revocations.poll()
  state.away = true
  await revocations.poll()
  state.away = false
  const asOf = new Date(clock.ms).toISOString()
  clock.ms += 300
  await revocations.poll()
  expect(state.since).toEqual([undefined, asOf])
})
