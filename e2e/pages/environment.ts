import { join } from 'node:path'
import { startBrowsers, type Browsers } from '../support/browser.ts'
import { connectMerchant, createMerchant } from '../support/merchant.ts'
import { readStackDescription } from '../support/stack-description.ts'
import { placeOrder } from '../support/place-order.ts'
import { upiApp } from '../support/upi-app.ts'
import type { Set } from './scenes.ts'

const STACK_FILE = process.env['STACK_FILE'] ?? join(import.meta.dirname, '../../.local/stack.json')

export interface Studio {
  readonly browsers: Browsers
  /** All that a scene needs but its shopper. */
  readonly props: Omit<Set, 'shopper' | 'language'>
}

/** A site of its own on the running stack, and browsers; they are closed when `work` has ended. */
export async function inStudio<T>(work: (studio: Studio) => Promise<T>): Promise<T> {
  const stack = readStackDescription(STACK_FILE)
  const merchant = await connectMerchant(stack, await createMerchant(stack, 'Kaveri Handlooms'))
  const browsers = await startBrowsers()
  try {
    return await work({
      browsers,
      props: {
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
