import { Unavailable } from '@gateway/contracts'
import { createFindDowntimes } from './downtimes.ts'

const capabilities = { find: async () => ({ contract: 1, downtimes: true }) as const }
const down = (instrument?: string | null) => ({
  ...{ method: 'netbanking', severity: 'high', began_at: '2026-11-21T10:00:00Z' },
  ...(instrument !== undefined && { instrument }),
})

function find(...list: object[]) {
  const client = {
    get: async () => ({ status: 200, data: list }),
    unavailable: (reason: string) => new Unavailable('network_unavailable', reason),
  }
  return createFindDowntimes(client, { capabilities, keptMs: 0, now: () => new Date() })()
}

// Proves: faults/acquirer-text-holds-no-card
test('a downtime whose instrument holds a card number is left out; the others stay as they are', async () => {
  const others = [down(), down(null), down('HDFC'), down('okhdfcbank')]
  for (const written of ['4111111111111111', 'card 4111 1111 1111 1111', '४१११११११११११११११'])
    expect(await find(down(written), ...others)).toEqual(others)
})
