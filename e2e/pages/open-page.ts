import type { NewOrder } from '@gateway/sdk'
import type { Page } from 'playwright-core'
import { givenStack } from '@gateway-infra/local/stack-file'
import { startBrowsers, type Shopper } from '../support/browser.ts'
import { openMerchant, placeOrder, upiApp, type PlacedOrder } from '../support/merchant.ts'

export type PageEnvironment = Awaited<ReturnType<typeof openEnvironment>>

/** Runs `work` with a new merchant on the given stack and with browsers, which are closed afterwards. */
export async function withPageEnvironment<T>(work: (environment: PageEnvironment) => Promise<T>): Promise<T> {
  const environment = await openEnvironment()
  try {
    return await work(environment)
  } finally {
    await environment.browsers.close()
  }
}

async function openEnvironment() {
  const stack = givenStack()
  const merchant = await openMerchant(stack, 'Kaveri Handlooms')
  /** What every page needs, without the shopper and the language. */
  const shared = {
    app: upiApp(stack),
    baseUrl: stack.base_url,
    networkUrl: stack.network_url,
    order: (fields?: Partial<NewOrder>) => placeOrder(merchant, { description: 'Cotton saree, indigo', ...fields }),
  }
  return { browsers: await startBrowsers(), shared }
}

/** What is needed to open a page; `hi` shows it in Hindi. */
export type PageContext = PageEnvironment['shared'] & { readonly shopper: Shopper; readonly language: 'en' | 'hi' }

/** Opens the hosted page of a new order. */
export async function open(context: PageContext, fields: Partial<NewOrder> = {}): Promise<{ page: Page; order: PlacedOrder }> {
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
