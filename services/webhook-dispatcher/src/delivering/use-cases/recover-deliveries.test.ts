import { endpointIdIn, type KnownEndpoint } from '../../endpoints/index.ts'
import { makeRecoverDeliveries } from './recover-deliveries.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
const known = (merchantId: string): KnownEndpoint => ({
  endpoint: {
    id: endpointIdIn(merchantId),
    registrations: [{ url: 'https://merchant.example/webhooks', since: new Date('2026-11-20T10:00:00Z') }],
    secrets: [],
    health: [],
  },
  signingKeys: () => [],
})

function recoverWith(...registered: string[]) {
  return makeRecoverDeliveries({
    replayDead: () => Promise.resolve({ replayed: 3, skipped: 0 }),
    ...aMerchantWith(...registered),
  })
}

function aMerchantWith(...registered: string[]) {
  const findEndpoint = (id: string) => Promise.resolve(registered.includes(id) ? known(id) : undefined)
  return { findEndpoint, now: () => NOW }
}

// Proves: access/repetition-is-no-entry
test.each([
  [0, 0],
  [3, 1],
])('a recovery that sends %i deliveries is written to the audit %i times', async (sent, entries) => {
  let begun = 0
  const recover = makeRecoverDeliveries({
    replayDead: async (_request, begin) => {
      await Promise.all(Array.from({ length: sent }, async () => begin?.()))
      return { replayed: sent, skipped: 0 }
    },
    ...aMerchantWith('mer_1'),
  })
  await recover('mer_1', { since: NOW, to: 'current' }, async () => void (begun += 1))
  expect(begun).toBe(entries)
})

// Proves: webhooks/refund-endpoint-is-its-own
test.each([['mer_1'], ['mer_1:refund']])('dead webhooks are sent again to a merchant whose only endpoint is %s', async (id) => {
  expect(await recoverWith(id)('mer_1', { since: NOW, to: 'current' }, async () => {})).toEqual({ replayed: 3, skipped: 0 })
})

test('without an endpoint of either kind there is nothing to send to', async () => {
  await expect(recoverWith('mer_2')('mer_1', { since: NOW, to: 'original' }, async () => {})).rejects.toMatchObject({
    code: 'endpoint_missing',
  })
})
