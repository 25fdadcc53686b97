/**
 * Every method × success, failure, cancel, expiry and a closed tab, on a phone and a desktop, in a real browser through the whole
 * stack; each confirmed by the merchant's search and by the webhooks that arrived.
 */
import { DEVICES, type Device } from './support/browser.ts'
import { startCheckoutFixture, type CheckoutFixture } from './support/checkout-fixture.ts'
import { findLeaks } from './support/leaks.ts'
import type { Journey } from './support/journey.ts'
import { JOURNEYS } from './support/journeys.ts'

let fixture: CheckoutFixture
beforeAll(async () => (fixture = await startCheckoutFixture('Journey Stores')), 300_000)
afterAll(() => fixture.close(), 60_000)

async function runJourneyOn(device: Device, walk: Journey): Promise<void> {
  const { expiresInSeconds, status, reason, paidBy, webhooks } = walk
  const order = await fixture.order(expiresInSeconds === undefined ? {} : { expires_in: expiresInSeconds })
  const shopper = await fixture.browsers.shopper(device)
  try {
    await walk.run({ ...order, shopper, app: fixture.app })
    expect(shopper.problems).toEqual([])
  } finally {
    await shopper.close()
  }
  // What everybody but the shopper sees of it.
  const transaction = await fixture.search(order.orderId)
  expect(transaction).toMatchObject({ status, failure_reason: reason, method: paidBy, amount: '1499.00' })
  const arrived = await fixture.webhooks(order.orderId, webhooks.length)
  expect(arrived.map(({ payload }) => payload.status)).toEqual(webhooks)
  expect(arrived.every(({ isAuthentic, attempt }) => isAuthentic && attempt === 1)).toBe(true)
}

test.each(JOURNEYS)(
  '$method × $outcome, on a phone and on a desktop',
  async (walk) => {
    await Promise.all(DEVICES.map((device) => runJourneyOn(device, walk)))
  },
  120_000,
)

// The last ones: they look at what all the others have left.
test('every page on the way was inspected on both devices', () => {
  const inspected = fixture.browsers.inspected()
  const pages = new Set(inspected.map((key) => key.replace(/^\w+: /u, '')))
  expect(pages.size).toBeGreaterThanOrEqual(13)
  expect(inspected).toHaveLength(pages.size * DEVICES.length)
})

test('no log holds anything private', () => {
  expect(findLeaks(fixture.stack.logs())).toEqual([])
})
