/** A merchant on the shared stack, and browsers: the setup that the tests of the hosted page share. */
import type { NewOrder, Order } from '@gateway/sdk'
import { eventually } from '@gateway/testkit'
import { startBrowsers, type Browsers } from './browser.ts'
import { sharedStack, type SharedStack } from './running-stack.ts'
import { openMerchantSite, type MerchantSite, type WebhookAttempt } from './merchant-site.ts'
import { placeOrder, type PlacedOrder } from './place-order.ts'
import { upiApp, type UpiApp } from './upi-app.ts'

export interface CheckoutFixture {
  readonly stack: SharedStack
  readonly site: MerchantSite
  readonly browsers: Browsers
  readonly app: UpiApp
  /** Creates an order of 1,499 rupees. */
  order(fields?: Partial<NewOrder>): Promise<PlacedOrder>
  /** The order's transaction, from the merchant's search. */
  search(orderId: string): Promise<Order['transaction']>
  /** Waits until the order has exactly `count` webhooks; returns them in the order of their sequence. */
  webhooks(orderId: string, count: number): Promise<readonly WebhookAttempt[]>
  close(): Promise<void>
}

export async function startCheckoutFixture(name: string): Promise<CheckoutFixture> {
  const stack = sharedStack()
  const site = await openMerchantSite(stack.description, name)
  const browsers = await startBrowsers()
  return {
    stack,
    site,
    browsers,
    app: upiApp(stack.description),
    order: (fields) => placeOrder(site.merchant, fields),
    search: async (orderId) => (await site.merchant.search(orderId)).transaction,
    webhooks: (orderId, count) =>
      eventually(
        () => {
          const attempts = site.attemptsFor(orderId)
          if (attempts.length !== count) throw new Error(`${attempts.length} webhooks arrived, expected ${count}`)
          return attempts.toSorted((one, other) => one.sequence - other.sequence)
        },
        { deadlineMs: 30_000, pauseMs: 100 },
      ),
    async close() {
      await browsers.close()
      await site.close()
    },
  }
}
