/**
 * Every method × success, failure, cancel, expiry and a closed tab, on a phone and a desktop, in a real browser through the whole
 * stack; each confirmed by the merchant's search and by the webhooks that arrived.
 */
import { DEVICES, type Device } from './support/browser.ts'
import { openCounter, type Counter } from './support/counter.ts'
import { findLeaks } from './support/leaks.ts'
import type { Walk } from './support/walk.ts'
import { WALKS } from './support/walks.ts'

let counter: Counter
beforeAll(async () => (counter = await openCounter('Walk Stores')), 300_000)
afterAll(() => counter.close(), 300_000)

async function walkOn(device: Device, walk: Walk): Promise<void> {
  const { expiresInSeconds, status, reason, paidBy, webhooks } = walk
  const order = await counter.order(expiresInSeconds === undefined ? {} : { expires_in: expiresInSeconds })
  const shopper = await counter.browsers.shopper(device)
  try {
    await walk.run({ ...order, shopper, app: counter.app })
    expect(shopper.complaints).toEqual([])
  } finally {
    await shopper.leave()
  }
  // What everybody but the shopper sees of it.
  const transaction = await counter.search(order.orderId)
  expect(transaction).toMatchObject({ status, failure_reason: reason, method: paidBy, amount: '1499.00' })
  const arrived = await counter.webhooks(order.orderId, webhooks.length)
  expect(arrived.map(({ payload }) => payload.status)).toEqual(webhooks)
  expect(arrived.every(({ isAuthentic, attempt }) => isAuthentic && attempt === 1)).toBe(true)
}

test.each(WALKS)(
  '$method × $outcome, on a phone and on a desktop',
  async (walk) => {
    await Promise.all(DEVICES.map((device) => walkOn(device, walk)))
  },
  300_000,
)

// The last ones: they look at what all the others have left.
test('every page on the way was inspected on both devices', () => {
  const inspected = counter.browsers.inspected()
  const pages = new Set(inspected.map((key) => key.replace(/^\w+: /u, '')))
  expect(pages.size).toBeGreaterThanOrEqual(13)
  expect(inspected).toHaveLength(pages.size * DEVICES.length)
})

test('no log holds anything private', () => {
  expect(findLeaks(counter.stack.logs())).toEqual([])
})
