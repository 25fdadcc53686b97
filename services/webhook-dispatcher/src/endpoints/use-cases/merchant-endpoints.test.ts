import { randomBytes } from 'node:crypto'
import type { Endpoint } from '../domain/endpoint.ts'
import { endpointIdIn } from '../domain/endpoint-id.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { createMerchantEndpoints } from './merchant-endpoints.ts'

const ID = endpointIdIn('mer_1')
const NOW = new Date('2026-11-21T10:00:00Z')
const URL_TODAY = 'https://merchant.example/webhooks'
const disabled = { url: URL_TODAY, failing_since: NOW, last_failure_at: NOW, disabled: { at: NOW, reason: 'gone' as const } }

/** Registers over an endpoint with this health, and counts the entries in the audit and the writes to the database. */
async function registering(url: string, health: Endpoint['health']) {
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
    refusalOf: async () => undefined,
    randomBytes,
    now: () => NOW,
    waitUntil: async () => undefined,
  })
  const registered = await merchantEndpoints.register(ID, url, async () => void (counts.entries += 1))
  expect(registered.url).toBe(url)
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
