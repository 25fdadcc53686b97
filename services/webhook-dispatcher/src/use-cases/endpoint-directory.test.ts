import { randomBytes } from 'node:crypto'
import { formatSigningSecret } from '@gateway/contracts'
import { createSealer } from '@gateway/service-kit'
import { eventually } from '@gateway/testkit'
import { TAKES_EFFECT_AFTER_MS } from '../domain/endpoint.ts'
import type { StoredEndpoint } from '../persistence/endpoints.ts'
import { ENDPOINT_CACHE_MS, makeFindEndpoint } from './endpoint-directory.ts'

const sealer = createSealer(new Map([['k1', randomBytes(32)]]))
const secretOf = (merchantId: string, byte: number, until: Date | null = null) => ({
  sealed: sealer.seal(Buffer.from(formatSigningSecret(Buffer.alloc(32, byte))), merchantId),
  until,
})
const stored = (url: string): StoredEndpoint => ({
  endpoint: { merchantId: 'm', registrations: [{ url, since: new Date(0) }], secrets: [secretOf('m', 1)], health: [] },
  version: 1,
})

function begin(first: StoredEndpoint) {
  const state = { stored: first, away: false, asked: 0 }
  const find = makeFindEndpoint({
    endpoints: {
      find: async () => {
        state.asked += 1
        if (state.away) throw new Error('database away')
        return state.stored
      },
    },
    sealer,
  })
  const url = async () => (await find('m'))?.endpoint.registrations[0]?.url
  return { state, find, url }
}

test('an answer lives for a quarter of a second at most, less than a registration waits before it takes effect', async () => {
  expect(ENDPOINT_CACHE_MS).toBeLessThanOrEqual(250)
  expect(ENDPOINT_CACHE_MS).toBeLessThan(TAKES_EFFECT_AFTER_MS)
  const { state, url } = begin(stored('old'))
  expect(await url()).toBe('old')
  state.stored = stored('new')
  await eventually(async () => expect(await url()).toBe('new'), { deadlineMs: 2000 })
})

test('many at once ask once, and a failure is not kept', async () => {
  const { state, url } = begin(stored('a'))
  state.away = true
  const failed = await Promise.allSettled([url(), url(), url()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(state.asked).toBe(1)
  state.away = false
  expect(await url()).toBe('a')
})

test('the keys that sign are those that live at the moment of signing, the current one first', async () => {
  const ends = new Date('2026-01-02T00:00:00Z')
  const secrets = [secretOf('m', 2), secretOf('m', 1, ends)]
  const { find } = begin({ endpoint: { merchantId: 'm', registrations: [], secrets, health: [] }, version: 1 })
  const known = await find('m')
  const bytes = (now: Date) => known?.signingKeys(now).map((key) => key.bytes[0])
  expect(bytes(new Date(ends.getTime() - 1))).toEqual([2, 1])
  expect(bytes(ends)).toEqual([2])
})
