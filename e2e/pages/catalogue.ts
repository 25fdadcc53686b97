/** Every page that a shopper of the sandbox sees, and how to get there. */
import type { Page } from 'playwright-core'
import * as hosted from '../support/hosted-page.ts'
import { open, paidInUpiApp, visit, type PageContext } from './open-page.ts'

/** One page in one state. */
export interface CatalogueEntry {
  readonly name: string
  readonly title: string
  /** One of the main pages, which are shown in Hindi, too. */
  readonly main?: true
  /** Resolves to the page in this state. */
  readonly show: (context: PageContext) => Promise<Page>
}

/** Opens the checkout of a new order, then takes these steps on it. */
function after(steps: (page: Page) => Promise<void>, order?: Parameters<typeof open>[1]): CatalogueEntry['show'] {
  return async (context) => {
    const { page } = await open(context, order)
    await steps(page)
    return page
  }
}

/** The pages in English. */
export const PAGES: readonly CatalogueEntry[] = [
  { name: 'upi', title: 'UPI', main: true, show: async (context) => (await open(context)).page },
  { name: 'card', title: 'Card, filled in', show: after((page) => hosted.fillCard(page, hosted.CARDS.asksOtp)) },
  {
    name: 'card-mistakes',
    title: 'Card, with invalid input',
    show: after(async (page) => {
      await hosted.fillCard(page, '4111111111111112')
      await page.getByLabel('CVV').fill('')
      await hosted.pressPay(page)
      await page.getByText('This card number is not right').first().waitFor()
    }),
  },
  {
    name: 'netbanking',
    title: 'Net banking',
    show: after(async (page) => {
      await hosted.choose(page, 'netbanking')
      await hosted.chooseBank(page, 'HDFC Bank')
    }),
  },
  { name: 'issuer', title: "The sandbox issuer's page", show: after((page) => hosted.goToIssuer(page)) },
  {
    name: 'issuer-wrong-otp',
    title: 'A wrong one-time password',
    show: after(async (page) => {
      await hosted.goToIssuer(page)
      await hosted.typeOtp(page, hosted.OTP.wrong)
      await page.getByRole('alert').waitFor()
    }),
  },
  { name: 'bank', title: "The sandbox bank's page", show: after((page) => hosted.goToBank(page)) },
  {
    name: 'waiting',
    title: 'Waiting for the bank, with another method offered',
    async show(context) {
      const { page, order } = await open(context, { max_attempts: 3 })
      await hosted.goToBank(page)
      await page.close()
      return visit(context, order.url)
    },
  },
  {
    name: 'another-way',
    title: 'Declined, with another method offered',
    show: after(
      async (page) => {
        await hosted.fillCard(page, hosted.CARDS.declined)
        await hosted.pressPay(page)
        await page.locator('.notice', { hasText: 'Your bank did not approve it' }).waitFor()
      },
      { max_attempts: 3 },
    ),
  },
  {
    name: 'success',
    title: 'Paid',
    main: true,
    show: (context) => paidInUpiApp(context, 'success@sandbox', '[data-key^="success"]'),
  },
  {
    name: 'declined',
    title: 'Declined',
    main: true,
    show: (context) => paidInUpiApp(context, 'failure@sandbox', '[data-key^="failed"]'),
  },
  {
    name: 'cancelled',
    title: 'Cancelled',
    show: after(async (page) => {
      await hosted.cancel(page)
      await hosted.waitForHeading(page, 'Payment cancelled')
    }),
  },
  {
    name: 'expired',
    title: 'Expired',
    show: after((page) => page.getByRole('link', { name: /^Return to / }).waitFor(), { expires_in: 5 }),
  },
  {
    name: 'unknown-link',
    title: 'An unknown link',
    show: (context) => visit(context, `${context.baseUrl}/checkout/NOBODY-000000000000000000000000`),
  },
  {
    name: 'upi-app',
    title: "The sandbox's UPI app",
    async show({ shopper, networkUrl }) {
      const page = await shopper.newTab()
      await page.goto(`${networkUrl}/sandbox/upi`)
      return page
    },
  },
]

/** The pages in Hindi. Card and net banking are opened by position, because their English labels are not there. */
export const HINDI_PAGES: readonly CatalogueEntry[] = [
  ...PAGES.filter(({ main }) => main),
  ...[1, 2].map((index): CatalogueEntry => {
    const name = index === 1 ? 'card' : 'netbanking'
    return {
      name,
      title: index === 1 ? 'Card' : 'Net banking',
      async show(context) {
        const { page } = await open(context)
        await page.locator('details.method > summary').nth(index).click()
        return page
      },
    }
  }),
]
