/** How many orders the purge scans, counted on orders in memory; its results are tested on a real database. */
import { makePurgeDueCustomers } from './purge-customers.ts'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 0, 1)
const observer = { purged: () => undefined, upTo: () => undefined }

/** Orders by creation time; counts how many are scanned, including those that are purged already. */
function ordersInMemory() {
  const orders: { readonly atMs: number; purged: boolean }[] = []
  let [upTo, looked] = [new Date(START_MS), 0]
  return {
    orders,
    looked: () => looked,
    purgedUpTo: () => Promise.resolve(upTo),
    setPurgedUpTo: (instant: Date) => Promise.resolve(void (upTo = instant)),
    purgeCreated({ from, until }: { from: Date; until: Date }, limit: number) {
      let found = 0
      for (const order of orders) {
        if (order.atMs < from.getTime()) continue
        if (order.atMs >= until.getTime() || found === limit) break
        looked += 1
        if (!order.purged) found += 1
        order.purged = true
      }
      return Promise.resolve({ found, purged: found })
    },
  }
}

// Proves: operate/customers-are-purged
test('a thousand orders a second, after a quiet day, are each scanned a few times', async () => {
  const customers = ordersInMemory()
  let nowMs = START_MS
  const step = makePurgeDueCustomers({ customers, retentionMs: 0, observer, now: () => new Date(nowMs) })
  const minute = async (): Promise<void> => {
    nowMs += MINUTE_MS
    while (await step());
  }
  for (let count = 0; count < 1440; count += 1) await minute()
  expect(customers.looked()).toBe(0)

  for (let count = 0; count < 2; count += 1) {
    for (let atMs = nowMs; atMs < nowMs + MINUTE_MS; atMs += 1) customers.orders.push({ atMs, purged: false })
    await minute()
  }
  expect(customers.orders.filter(({ purged }) => !purged)).toEqual([])
  expect(customers.looked()).toBeLessThan(5 * customers.orders.length)
})
