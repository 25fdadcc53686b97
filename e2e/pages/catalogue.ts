/** Every page that a shopper of the sandbox sees, and how to get there. */
import type { Page } from 'playwright-core'
import {
  CARDS,
  choose,
  chooseBank,
  fillCard,
  goToBank,
  goToIssuer,
  OTP,
  press,
  pressPay,
  typeOtp,
  waitForHeading,
} from '../support/hosted-page.ts'
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

/** The pages in English. */
export const PAGES: readonly CatalogueEntry[] = [
  { name: 'upi', title: 'UPI', main: true, show: async (context) => (await open(context)).page },
  {
    name: 'card',
    title: 'Card, filled in',
    async show(context) {
      const { page } = await open(context)
      await fillCard(page, CARDS.asksOtp)
      return page
    },
  },
  {
    name: 'card-mistakes',
    title: 'Card, with invalid input',
    async show(context) {
      const { page } = await open(context)
      await fillCard(page, '4111111111111112')
      await page.getByLabel('CVV').fill('')
      await pressPay(page)
      await page.getByText('This card number is not right').first().waitFor()
      return page
    },
  },
  {
    name: 'netbanking',
    title: 'Net banking',
    async show(context) {
      const { page } = await open(context)
      await choose(page, 'netbanking')
      await chooseBank(page, 'HDFC Bank')
      return page
    },
  },
  {
    name: 'issuer',
    title: "The sandbox issuer's page",
    async show(context) {
      const { page } = await open(context)
      await goToIssuer(page)
      return page
    },
  },
  {
    name: 'issuer-wrong-otp',
    title: 'A wrong one-time password',
    async show(context) {
      const { page } = await open(context)
      await goToIssuer(page)
      await typeOtp(page, OTP.wrong)
      await page.getByRole('alert').waitFor()
      return page
    },
  },
  {
    name: 'bank',
    title: "The sandbox bank's page",
    async show(context) {
      const { page } = await open(context)
      await goToBank(page)
      return page
    },
  },
  {
    name: 'waiting',
    title: 'Waiting for the bank, with another method offered',
    async show(context) {
      const { page, order } = await open(context, { max_attempts: 3 })
      await goToBank(page)
      await page.close()
      return visit(context, order.url)
    },
  },
  {
    name: 'another-way',
    title: 'Declined, with another method offered',
    async show(context) {
      const { page } = await open(context, { max_attempts: 3 })
      await fillCard(page, CARDS.declined)
      await pressPay(page)
      await page.locator('.notice', { hasText: 'Your bank did not approve it' }).waitFor()
      return page
    },
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
    async show(context) {
      const { page } = await open(context)
      await page.getByText('Cancel payment', { exact: true }).click()
      await press(page, 'Yes, cancel this payment')
      await waitForHeading(page, 'Payment cancelled')
      return page
    },
  },
  {
    name: 'expired',
    title: 'Expired',
    async show(context) {
      const { page } = await open(context, { expires_in: 5 })
      await page.getByRole('link', { name: /^Return to / }).waitFor()
      return page
    },
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
