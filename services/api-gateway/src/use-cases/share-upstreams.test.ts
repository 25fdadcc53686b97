import { createShare } from './share-upstreams.ts'

const LIMITS = { running: 2, waiting: 2, waitMs: 60_000 }
const refused = expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }) as Error

// Proves: api/connections-per-merchant
test('a caller has a bounded number of requests at an upstream; more wait in their order, and more than that are refused', async () => {
  const takePlace = createShare(LIMITS)
  const [first, second] = [await takePlace('ledger', 'M1'), await takePlace('ledger', 'M1')]
  const started: string[] = []
  const waiting = ['third', 'fourth'].map(async (name) => {
    const giveBack = await takePlace('ledger', 'M1')
    started.push(name)
    return giveBack
  })
  await expect(takePlace('ledger', 'M1')).rejects.toEqual(refused)
  const others = await Promise.all([takePlace('ledger', 'M2'), takePlace('dispatcher', 'M1')])
  expect(started).toEqual([])

  first()
  const third = await waiting[0]
  expect(started).toEqual(['third'])
  second()
  const fourth = await waiting[1]
  for (const giveBack of [third, fourth, ...others]) giveBack?.()
  await Promise.all([takePlace('ledger', 'M1'), takePlace('ledger', 'M1')])
})

// Proves: api/connections-per-merchant
test('a request that waits too long is refused, and takes no place later', async () => {
  const takePlace = createShare({ running: 1, waiting: 5, waitMs: 1 })
  const giveBack = await takePlace('ledger', 'M1')
  await expect(takePlace('ledger', 'M1')).rejects.toEqual(refused)
  giveBack()
  await takePlace('ledger', 'M1')
})
