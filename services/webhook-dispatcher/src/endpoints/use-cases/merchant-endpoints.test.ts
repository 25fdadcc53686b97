import { randomBytes } from 'node:crypto'
import { AppError } from '@gateway/contracts'
import type { Endpoint } from '../domain/endpoint.ts'
import { endpointIdIn } from '../domain/endpoint-id.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { createMerchantEndpoints } from './merchant-endpoints.ts'

const ID = endpointIdIn('mer_1')
const NOW = new Date('2026-11-21T10:00:00Z')
const URL_TODAY = 'https://merchant.example/webhooks'
const disabled = { url: URL_TODAY, failingSince: NOW, lastFailureAt: NOW, disabled: { at: NOW, reason: 'gone' as const } }

/** `register` over an endpoint with this health, and the entries in the audit and the writes to the database that it made. */
function registrations(health: Endpoint['health'], refusalOf: () => Promise<string | undefined> = async () => undefined) {
  const counts = { entries: 0, writes: 0 }
  const endpoint: Endpoint = { id: ID, registrations: [{ url: URL_TODAY, since: new Date(0) }], secrets: [], health }
  const endpoints: Pick<Endpoints, 'find' | 'save' | 'remove'> = {
    remove: async () => false,
    find: async () => ({ endpoint, version: 1 }),
    save: async () => {
      counts.writes += 1
      return true
    },
  }
  const merchantEndpoints = createMerchantEndpoints({
    endpoints,
    sealer: { seal: () => 'sealed' },
    refusalOf,
    randomBytes,
    now: () => NOW,
    waitUntil: async () => undefined,
  })
  return { counts, register: (url: string) => merchantEndpoints.register(ID, url, async () => void (counts.entries += 1)) }
}

async function registering(url: string, health: Endpoint['health']) {
  const { counts, register } = registrations(health)
  expect((await register(url)).url).toBe(url)
  return counts
}

// Proves: access/repetition-is-no-entry
test('a registration of the URL of today is no entry in the audit and no write', async () => {
  expect(await registering(URL_TODAY, [])).toEqual({ entries: 0, writes: 0 })
})

test.each([
  ['another URL', 'https://merchant.example/new', []],
  ['the URL of today, which is disabled,', URL_TODAY, [disabled]],
])('a registration of %s is one entry and one write', async (_name, url, health) => {
  expect(await registering(url, health)).toEqual({ entries: 1, writes: 1 })
})

// Proves: webhooks/slow-names-stall-nobody
test('of eleven calls in one tick, ten wait for their names and one is refused', async () => {
  const { promise: refusal, resolve } = Promise.withResolvers<string>()
  const { register } = registrations([], () => refusal)
  const calls = Array.from({ length: 11 }, (_, index) => register(`https://merchant.example/${index}`))
  await expect(Promise.race(calls)).rejects.toMatchObject({ code: 'endpoint_busy' })
  resolve('refused')
  const codes = await Promise.all(
    calls.map((call) => call.catch((error: unknown) => (error instanceof AppError ? error.code : error))),
  )
  expect(codes.filter((code) => code === 'validation_failed')).toHaveLength(10)
})
