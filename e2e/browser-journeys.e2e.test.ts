/**
 * Every payment method × success, failure, cancel, expiry and a closed tab, on a phone and a desktop, in a real browser against a
 * whole stack. The merchant's search and the webhooks that arrived confirm each result.
 */
import { DEVICES, type Device } from './support/browser.ts'
import { startCheckoutFixture, type CheckoutFixture } from './support/checkout-fixture.ts'
import { findLeaks } from './support/leaks.ts'
import { JOURNEYS, type Journey } from './support/journeys.ts'

let fixture: CheckoutFixture
beforeAll(async () => (fixture = await startCheckoutFixture('Journey Stores')), 300_000)
afterAll(() => fixture.close(), 300_000)

async function runJourneyOn(device: Device, journey: Journey): Promise<void> {
  const { expiresInSeconds, status, reason, transactionMethod, webhooks } = journey
  const order = await fixture.order(expiresInSeconds === undefined ? {} : { expires_in: expiresInSeconds })
  const shopper = await fixture.browsers.shopper(device)
  try {
    await journey.run({ ...order, shopper, app: fixture.app })
    expect(shopper.problems).toEqual([])
  } finally {
    await shopper.close()
  }
  const transaction = await fixture.search(order.orderId)
  expect(transaction).toMatchObject({ status, failure_reason: reason, method: transactionMethod, amount: '1499.00' })
  const arrived = await fixture.webhooks(order.orderId, webhooks.length)
  expect(arrived.map(({ payload }) => payload.status)).toEqual(webhooks)
  expect(arrived.every(({ isAuthentic, attempt }) => isAuthentic && attempt === 1)).toBe(true)
}

// Proves: spec/one-integration-accepts-cards-net-banking, page/every-method-and-outcome
test.each(JOURNEYS)(
  '$method × $outcome, on a phone and on a desktop',
  async (journey) => {
    await Promise.all(DEVICES.map((device) => runJourneyOn(device, journey)))
  },
  300_000,
)

// These two run last: they check what all tests before them left behind.
// Proves: page/accessible
test('every page of the journeys was inspected on both devices', () => {
  const inspected = fixture.browsers.inspected()
  const pages = new Set(inspected.map((key) => key.replace(/^\w+: /u, '')))
  expect(pages.size).toBeGreaterThanOrEqual(13)
  expect(inspected).toHaveLength(pages.size * DEVICES.length)
})

test('no log contains private data', () => {
  expect(findLeaks(fixture.stack.logs())).toEqual([])
})
