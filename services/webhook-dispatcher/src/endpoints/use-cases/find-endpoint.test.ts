import { randomBytes } from 'node:crypto'
import { formatSigningSecret } from '@gateway/contracts'
import { createSealer } from '@gateway/service-kit'
import { eventually } from '@gateway/testkit'
import { TAKES_EFFECT_AFTER_MS, type Endpoint } from '../domain/endpoint.ts'
import { endpointIdIn } from '../domain/endpoint-id.ts'
import { ENDPOINT_CACHE_MS, makeFindEndpoint, makeSigningKeysOf } from './find-endpoint.ts'

const sealer = createSealer(new Map([['k1', randomBytes(32)]]))
const secretOf = (merchantId: string, byte: number, until: Date | null = null) => ({
  sealed: sealer.seal(Buffer.from(formatSigningSecret(Buffer.alloc(32, byte))), merchantId),
  until,
})
const stored = (url: string, merchantId = 'm'): Endpoint => ({
  id: endpointIdIn(merchantId),
  registrations: [{ url, since: new Date(0) }],
  secrets: [secretOf(merchantId, 1)],
  health: [],
})

/** A database of these endpoints, and a clock that the test moves. */
function begin(...first: Endpoint[]) {
  const state = { stored: first, away: false, asked: [] as (readonly string[])[], nowMs: 0 }
  const find = makeFindEndpoint({
    endpoints: {
      findMany: async (merchantIds) => {
        state.asked.push(merchantIds)
        if (state.away) throw new Error('database away')
        return state.stored.filter(({ id: merchantId }) => merchantIds.includes(merchantId))
      },
    },
    sealer,
    nowMs: () => state.nowMs,
  })
  const url = async (merchantId = 'm') => (await find(endpointIdIn(merchantId)))?.endpoint.registrations[0]?.url
  return { state, find, url }
}

// Proves: api/endpoint-caches-250-ms
test('an answer is cached for at most a quarter of a second, less than a registration waits before it takes effect', async () => {
  expect(ENDPOINT_CACHE_MS).toBeLessThanOrEqual(250)
  expect(ENDPOINT_CACHE_MS).toBeLessThan(TAKES_EFFECT_AFTER_MS)
  const { state, url } = begin(stored('old'))
  expect(await url()).toBe('old')
  state.stored = [stored('new')]
  state.nowMs = 100
  expect(await url()).toBe('old')
  state.nowMs = ENDPOINT_CACHE_MS
  expect(await url()).toBe('new')
})

test('an old answer is refreshed in the background while it still serves', async () => {
  const { state, url } = begin(stored('old'))
  await url()
  state.stored = [stored('new')]
  state.nowMs = 200
  expect(await url()).toBe('old')
  await eventually(async () => expect(await url()).toBe('new'))
  expect(state.asked).toEqual([['m'], ['m']])
})

test('when the refresh fails, an answer serves until it is too old and no longer', async () => {
  const { state, url } = begin(stored('old'))
  await url()
  state.away = true
  state.nowMs = 200
  expect([await url(), await url()]).toEqual(['old', 'old'])
  state.nowMs = ENDPOINT_CACHE_MS
  await expect(url()).rejects.toThrow('database away')
})

test('recently used merchants share their queries, and one that is no longer used is left out', async () => {
  const busy = ['a', 'b', 'c']
  const { state, url } = begin(...busy.map((merchantId) => stored(`of ${merchantId}`, merchantId)), stored('of rare', 'rare'))
  await Promise.all([...busy, 'rare', 'unknown'].map(url))
  expect(state.asked).toEqual([[...busy, 'rare', 'unknown']])
  state.nowMs = 1900
  expect(await Promise.all(busy.map(url))).toEqual(['of a', 'of b', 'of c'])
  state.nowMs = 2000
  expect(await Promise.all(busy.map(url))).toEqual(['of a', 'of b', 'of c'])
  state.nowMs += ENDPOINT_CACHE_MS
  expect(await url('b')).toBe('of b')
  expect(state.asked.slice(1)).toEqual([
    [...busy, 'rare', 'unknown'],
    ['b', 'a', 'c'],
  ])
})

test('a merchant that is asked for rarely has an answer at once, since the queries of others refresh it', async () => {
  const { state, url } = begin(stored('of a', 'a'), stored('of b', 'b'))
  await Promise.all(['a', 'b'].map(url))
  state.nowMs = 200
  await url('a')
  await eventually(() => expect(state.asked).toHaveLength(2))
  expect(state.asked[1]).toEqual(['b', 'a'])
  // The answer of 200 ms serves, although this merchant was not asked for since the first query.
  state.nowMs = 400
  state.away = true
  expect(await url('b')).toBe('of b')
})

test('concurrent callers share one query, and a failure is not cached', async () => {
  const { state, url } = begin(stored('a'))
  state.away = true
  const failed = await Promise.allSettled([url(), url(), url()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(state.asked).toEqual([['m']])
  state.away = false
  expect(await url()).toBe('a')
})

// Proves: api/secret-rotation
test('the keys that sign are those that are live at the moment of signing, the current one first', async () => {
  const ends = new Date('2026-01-02T00:00:00Z')
  const secrets = [secretOf('m', 2), secretOf('m', 1, ends)]
  const { find } = begin({ id: endpointIdIn('m'), registrations: [], secrets, health: [] })
  const known = await find(endpointIdIn('m'))
  const bytes = (now: Date) => known?.signingKeys(now).map(({ key }) => key.export()[0])
  expect(bytes(new Date(ends.getTime() - 1))).toEqual([2, 1])
  expect(bytes(ends)).toEqual([2])
})

describe('the keys that sign now', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  const later = new Date('2026-01-01T12:00:00Z')
  const sealer = createSealer(new Map([['k1', Buffer.alloc(32, 1)]]))
  const lost = createSealer(new Map([['k0', Buffer.alloc(32, 2)]]))
  const sealedBy = (by: typeof sealer, byte: number): string =>
    by.seal(Buffer.from(formatSigningSecret(Buffer.alloc(32, byte))), 'mer_1')
  const endpoint = (current: string, earlier: string) => ({
    id: endpointIdIn('mer_1'),
    registrations: [],
    secrets: [
      { sealed: current, until: null },
      { sealed: earlier, until: later },
    ],
    health: [],
  })

  // Proves: webhooks/secret-cannot-be-opened
  test('a secret that cannot be opened gives no key; without the current key there is none', () => {
    const signingKeysOf = makeSigningKeysOf(sealer)
    expect(signingKeysOf(endpoint(sealedBy(sealer, 3), sealedBy(sealer, 4)), now)).toHaveLength(2)
    expect(signingKeysOf(endpoint(sealedBy(sealer, 3), sealedBy(lost, 4)), now)).toHaveLength(1)
    expect(signingKeysOf(endpoint(sealedBy(lost, 3), sealedBy(sealer, 4)), now)).toEqual([])
    expect(signingKeysOf(endpoint('damaged', sealedBy(sealer, 4)), now)).toEqual([])
  })
})
