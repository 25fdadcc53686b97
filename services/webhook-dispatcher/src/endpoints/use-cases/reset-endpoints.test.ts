import type { Endpoint } from '../domain/endpoint.ts'
import { endpointIdIn } from '../domain/endpoint-id.ts'
import type { StoredEndpoint } from '../persistence/endpoints.ts'
import { createResetEndpoints } from './reset-endpoints.ts'

const SINCE = new Date('2026-11-21T10:00:00Z')
const THIEF = { url: 'https://thief.example/', since: new Date('2026-11-21T11:00:00Z') }
const OWN = { url: 'https://merchant.example/', since: new Date('2026-11-20T10:00:00Z') }
const anEndpoint = (id: string): Endpoint => ({
  id: endpointIdIn(id),
  registrations: [OWN, THIEF],
  secrets: [
    { sealed: 'new', until: null },
    { sealed: 'old', until: THIEF.since },
  ],
  health: [],
})

/** Endpoints in memory. Changes of `busy` always lose against another writer. */
function start({ ids = [], busy, listens = false }: { ids?: string[]; busy?: string; listens?: boolean }) {
  const stored = new Map<string, StoredEndpoint>(ids.map((id) => [id, { endpoint: anEndpoint(id), version: 1 }]))
  const removedListenSecrets: string[] = []
  const reset = createResetEndpoints({
    endpoints: {
      find: async (id) => stored.get(id),
      save: async (endpoint) => {
        // The other channel is slower than the ten tries of the busy one.
        if (endpoint.id === busy) return false
        for (let turn = 0; turn < 100; turn++) await Promise.resolve()
        stored.set(endpoint.id, { endpoint, version: 2 })
        return true
      },
      remove: async () => true,
    },
    listenSecrets: {
      remove: async (merchantId) => {
        if (listens) removedListenSecrets.push(merchantId)
        return listens
      },
    },
    now: () => SINCE,
    waitUntil: async () => undefined,
  })
  return { reset, stored, removedListenSecrets }
}

// Proves: webhooks/operator-undoes-theft
test('while one channel is busy, the call answers only when the other one has settled, and can be repeated', async () => {
  const { reset, stored } = start({ ids: ['mer_1', 'mer_1:refund'], busy: 'mer_1' })
  const failed = await reset.undoChanges('mer_1', SINCE).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'endpoint_busy', message: expect.stringContaining('payment endpoint') })
  expect(stored.get('mer_1:refund')?.endpoint.registrations).toEqual([OWN])
})

// Proves: webhooks/operator-undoes-theft
test('the listen secret of a merchant without endpoints ends, too', async () => {
  const { reset, removedListenSecrets } = start({ listens: true })
  expect(await reset.expireSecrets('mer_1')).toBe(0)
  expect(removedListenSecrets).toEqual(['mer_1'])
})

test('a merchant who has nothing to end or undo is not found', async () => {
  const { reset } = start({})
  await expect(reset.expireSecrets('mer_1')).rejects.toMatchObject({ code: 'endpoint_not_found' })
  await expect(reset.undoChanges('mer_1', SINCE)).rejects.toMatchObject({ code: 'endpoint_not_found' })
})
