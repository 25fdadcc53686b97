/** A shop in whose orders shoppers pay in a real browser: what the tests of the hosted page have in common. */
import type { CreateOrderRequest, SearchOrderResponse } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { startBrowsers, type Browsers } from './browser.ts'
import { startStack, type RunningStack } from './running-stack.ts'
import { openShop, type Shop, type WebhookAttempt } from './shop.ts'
import { ringUp, type RungUp } from './till.ts'
import { upiApp, type UpiApp } from './upi-app.ts'

export interface Counter {
  readonly stack: RunningStack
  readonly shop: Shop
  readonly browsers: Browsers
  readonly app: UpiApp
  /** A new order of 1,499 rupees. */
  order(fields?: Partial<CreateOrderRequest>): Promise<RungUp>
  /** The order as the merchant's search shows it. */
  search(orderId: string): Promise<SearchOrderResponse['data']['transaction']>
  /** Its webhooks in the order of their sequence, once there are so many. */
  webhooks(orderId: string, count: number): Promise<readonly WebhookAttempt[]>
  close(): Promise<void>
}

export async function openCounter(name: string, env: Readonly<Record<string, string>> = {}): Promise<Counter> {
  const stack = await startStack(env)
  const shop = await openShop(stack.description, name)
  const browsers = await startBrowsers()
  return {
    stack,
    shop,
    browsers,
    app: upiApp(stack.description),
    order: (fields) => ringUp(shop.merchant, fields),
    search: async (orderId) => (await shop.merchant.search(orderId)).body.data.transaction,
    webhooks: (orderId, count) =>
      eventually(
        () => {
          const attempts = shop.attemptsFor(orderId)
          if (attempts.length !== count) throw new Error(`${attempts.length} webhooks have come, and not ${count}`)
          return attempts.toSorted((one, other) => one.sequence - other.sequence)
        },
        { deadlineMs: 30_000, pauseMs: 100 },
      ),
    async close() {
      await browsers.close()
      await stack.remove()
      await shop.close()
    },
  }
}
