import type { CreateOrderRequest } from '@gateway/contracts'
import type { Page } from 'playwright-core'
import type { Shopper } from '../support/browser.ts'
import type { PlacedOrder } from '../support/place-order.ts'
import type { UpiApp } from '../support/upi-app.ts'

/** What is needed to open a page. */
export interface PageContext {
  readonly shopper: Shopper
  readonly app: UpiApp
  readonly baseUrl: string
  readonly networkUrl: string
  /** `hi` shows the page in Hindi. */
  readonly language: 'en' | 'hi'
  order(fields?: Partial<CreateOrderRequest>): Promise<PlacedOrder>
}

/** Opens the hosted page of a new order. */
export async function open(
  context: PageContext,
  fields: Partial<CreateOrderRequest> = {},
): Promise<{ page: Page; order: PlacedOrder }> {
  const order = await context.order(fields)
  return { page: await visit(context, order.url), order }
}

/** Opens a URL in the context's language. */
export async function visit({ shopper, language }: PageContext, url: string): Promise<Page> {
  const page = await shopper.newTab()
  await page.goto(`${url}?lang=${language}`)
  return page
}

/** Pays the order in a UPI app and waits until the open page shows the result. */
export async function paidInUpiApp(context: PageContext, vpa: string, resultSelector: string): Promise<Page> {
  const { page, order } = await open(context)
  await context.app.pay(order.intent, vpa)
  await page.locator(resultSelector).waitFor()
  return page
}
