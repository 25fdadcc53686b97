/** A merchant on the shared stack, and browsers: the setup that the tests of the hosted page share. */
import type { NewOrder } from '@gateway/sdk'
import { eventually } from '@gateway/testkit'
import { startBrowsers } from './browser.ts'
import { sharedStack } from './running-stack.ts'
import { openMerchantSite } from './merchant-site.ts'
import { placeOrder, upiApp } from './merchant.ts'

export type CheckoutFixture = Awaited<ReturnType<typeof startCheckoutFixture>>

export async function startCheckoutFixture(name: string) {
  const stack = sharedStack()
  const site = await openMerchantSite(stack.description, name)
  const browsers = await startBrowsers()
  return {
    stack,
    site,
    browsers,
    app: upiApp(stack.description),
    /** Creates an order of 1,499 rupees. */
    order: (fields?: Partial<NewOrder>) => placeOrder(site.merchant, fields),
    /** The order's transaction, from the merchant's search. */
    search: async (orderId: string) => (await site.merchant.search(orderId)).transaction,
    /** Waits until the order has exactly `count` webhooks; returns them in the order of their sequence. */
    webhooks: (orderId: string, count: number) =>
      eventually(
        () => {
          const attempts = site.attemptsFor(orderId)
          if (attempts.length !== count) throw new Error(`${attempts.length} webhooks arrived, expected ${count}`)
          return attempts.toSorted((one, other) => one.sequence - other.sequence)
        },
        { deadlineMs: 30_000, pauseMs: 100 },
      ),
    close: () => Promise.all([browsers.close(), site.close()]),
  }
}
