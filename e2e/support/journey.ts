/** One way through the hosted page, for any device: it ends at a page that says how it went. */
import type { Page } from 'playwright-core'
import { choose, isMarked, press, waitForHeading, type PageMethod } from './hosted-page.ts'
import type { Shopper } from './browser.ts'
import type { UpiApp } from './upi-app.ts'

export type Outcome = 'success' | 'failure' | 'cancel' | 'expiry' | 'tab closed'

/** What a walk goes through. */
export interface Stage {
  readonly shopper: Shopper
  readonly app: UpiApp
  readonly url: string
  readonly intent: string
}

export interface Journey {
  readonly method: PageMethod
  readonly outcome: Outcome
  /** Of the order. */
  readonly expiresInSeconds?: number
  /** Resolves when the last page is shown. */
  readonly run: (stage: Stage) => Promise<void>
  readonly heading: string
  readonly status: 'Success' | 'Failed'
  readonly reason: string | null
  /** Of the transaction, once it is final. */
  readonly paidBy: string | null
  /** The statuses of its webhooks, in order. */
  readonly webhooks: readonly string[]
}

export const HEADINGS = {
  success: 'Payment successful',
  declined: 'Payment declined',
  cancelled: 'Payment cancelled',
  expired: 'The time to pay has ended',
} as const

/** The page of the order, with the method open. */
export async function open({ shopper, url }: Stage, method: PageMethod): Promise<Page> {
  const page = await shopper.newTab()
  await page.goto(url)
  await choose(page, method)
  await shopper.inspect(page, `${method}, before paying`)
  return page
}

/** The page says how it went, offers the way back, and stands any inspection. */
export async function shows({ shopper }: Stage, page: Page, heading: string, name: string): Promise<void> {
  await waitForHeading(page, heading)
  // While the network is still asked the heading may be the same; the way back is offered at the end only.
  await page.getByRole('link', { name: /^Return to / }).waitFor()
  await press(page, 'Stay on this page')
  await shopper.inspect(page, name)
}

/** The same, without having been loaded again. */
export async function staysAndShows(stage: Stage, page: Page, heading: string, name: string): Promise<void> {
  await shows(stage, page, heading, name)
  if (!(await isMarked(page))) throw new Error('the page was loaded again before it showed the result')
}

export const success = { heading: HEADINGS.success, status: 'Success', reason: null } as const
export const failed = (reason: 'declined' | 'cancelled' | 'expired') =>
  ({ heading: HEADINGS[reason], status: 'Failed', reason }) as const
