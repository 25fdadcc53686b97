/** One shopper's journey through the hosted page, on any device. It ends at the page that shows the result. */
import type { Page } from 'playwright-core'
import { choose, isMarked, press, waitForHeading, type PageMethod } from './hosted-page.ts'
import type { Shopper } from './browser.ts'
import type { UpiApp } from './upi-app.ts'

export type Outcome = 'success' | 'failure' | 'cancel' | 'expiry' | 'tab closed'

/** What a journey works with. */
export interface JourneyContext {
  readonly shopper: Shopper
  readonly app: UpiApp
  readonly url: string
  readonly intent: string
}

export interface Journey {
  readonly method: PageMethod
  readonly outcome: Outcome
  /** The order's lifetime; the default when unset. */
  readonly expiresInSeconds?: number
  /** Resolves when the result page is shown. */
  readonly run: (context: JourneyContext) => Promise<void>
  readonly status: 'Success' | 'Failed'
  readonly reason: string | null
  /** The method of the final transaction; `null` when nothing was paid. */
  readonly transactionMethod: string | null
  /** The statuses of the order's webhooks, in order. */
  readonly webhooks: readonly string[]
}

export const HEADINGS = {
  success: 'Payment successful',
  declined: 'Payment declined',
  cancelled: 'Payment cancelled',
  expired: 'The time to pay has ended',
} as const

/** Opens the order's page and one payment method. */
export async function open({ shopper, url }: JourneyContext, method: PageMethod): Promise<Page> {
  const page = await shopper.newTab()
  await page.goto(url)
  await choose(page, method)
  await shopper.inspect(page, `${method}, before paying`)
  return page
}

/** Waits until the page shows the result and the link back to the merchant, then inspects it. */
export async function expectResult({ shopper }: JourneyContext, page: Page, heading: string, name: string): Promise<void> {
  await waitForHeading(page, heading)
  // The heading may appear while the network is still being asked; the link back appears only at the end.
  await page.getByRole('link', { name: /^Return to / }).waitFor()
  await press(page, 'Stay on this page')
  await shopper.inspect(page, name)
}

/** Like `expectResult`, and fails when the page was reloaded in between. */
export async function expectResultWithoutReload(
  context: JourneyContext,
  page: Page,
  heading: string,
  name: string,
): Promise<void> {
  await expectResult(context, page, heading, name)
  if (!(await isMarked(page))) throw new Error('the page was reloaded before it showed the result')
}

export const success = { status: 'Success', reason: null } as const
export const failed = (reason: 'declined' | 'cancelled' | 'expired') => ({ status: 'Failed', reason }) as const
