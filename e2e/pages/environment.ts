import { join } from 'node:path'
import { startBrowsers, type Browsers } from '../support/browser.ts'
import { connectMerchant, createMerchant } from '../support/merchant.ts'
import { readStackDescription } from '../support/stack-description.ts'
import { placeOrder } from '../support/place-order.ts'
import { upiApp } from '../support/upi-app.ts'
import type { PageContext } from './open-page.ts'

const STACK_FILE = process.env['STACK_FILE'] ?? join(import.meta.dirname, '../../.local/stack.json')

export interface PageEnvironment {
  readonly browsers: Browsers
  /** What every page needs, without the shopper and the language. */
  readonly shared: Omit<PageContext, 'shopper' | 'language'>
}

/** Runs `work` with a new merchant on the running stack and with browsers, which are closed afterwards. */
export async function withPageEnvironment<T>(work: (environment: PageEnvironment) => Promise<T>): Promise<T> {
  const stack = readStackDescription(STACK_FILE)
  const merchant = connectMerchant(stack, await createMerchant(stack, 'Kaveri Handlooms'))
  const browsers = await startBrowsers()
  try {
    return await work({
      browsers,
      shared: {
        app: upiApp(stack),
        baseUrl: stack.base_url,
        networkUrl: stack.network_url,
        order: (fields) => placeOrder(merchant, { description: 'Cotton saree, indigo', ...fields }),
      },
    })
  } finally {
    await browsers.close()
  }
}
