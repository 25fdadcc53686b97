/** Every page that a shopper of the sandbox sees, and how to come to it. */
import type { CreateOrderRequest } from '@gateway/contracts'
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
import type { Shopper } from '../support/browser.ts'
import type { PlacedOrder } from '../support/place-order.ts'
import type { UpiApp } from '../support/upi-app.ts'

export interface Set {
  readonly shopper: Shopper
  readonly app: UpiApp
  readonly baseUrl: string
  readonly networkUrl: string
  /** `hi` shows the page in Hindi. */
  readonly language: 'en' | 'hi'
  order(fields?: Partial<CreateOrderRequest>): Promise<PlacedOrder>
}

export interface Scene {
  readonly name: string
  readonly title: string
  /** Among the main ones, which are shown in Hindi too. */
  readonly main?: true
  /** Resolves to the page, as it is to be looked at. */
  readonly play: (set: Set) => Promise<Page>
}

/** Opens the hosted page of a new order. */
async function open(set: Set, fields: Partial<CreateOrderRequest> = {}): Promise<{ page: Page; order: PlacedOrder }> {
  const order = await set.order(fields)
  return { page: await visit(set, order.url), order }
}

async function visit({ shopper, language }: Set, url: string): Promise<Page> {
  const page = await shopper.newTab()
  await page.goto(`${url}?lang=${language}`)
  return page
}

/** Ends the order by a UPI app, before anybody looks. */
async function paidBy(set: Set, vpa: string, settled: string): Promise<Page> {
  const { page, order } = await open(set)
  await set.app.pay(order.intent, vpa)
  await page.locator(settled).waitFor()
  return page
}

export const SCENES: readonly Scene[] = [
  { name: 'upi', title: 'UPI', main: true, play: async (set) => (await open(set)).page },
  {
    name: 'card',
    title: 'Card, filled in',
    async play(set) {
      const { page } = await open(set)
      await fillCard(page, CARDS.asksOtp)
      return page
    },
  },
  {
    name: 'card-mistakes',
    title: 'Card, with mistakes',
    async play(set) {
      const { page } = await open(set)
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
    async play(set) {
      const { page } = await open(set)
      await choose(page, 'netbanking')
      await chooseBank(page, 'HDFC Bank')
      return page
    },
  },
  {
    name: 'issuer',
    title: "The sandbox issuer's page",
    async play(set) {
      const { page } = await open(set)
      await goToIssuer(page)
      return page
    },
  },
  {
    name: 'issuer-wrong-otp',
    title: 'A wrong one-time password',
    async play(set) {
      const { page } = await open(set)
      await goToIssuer(page)
      await typeOtp(page, OTP.wrong)
      await page.getByRole('alert').waitFor()
      return page
    },
  },
  {
    name: 'bank',
    title: "The sandbox bank's page",
    async play(set) {
      const { page } = await open(set)
      await goToBank(page)
      return page
    },
  },
  {
    name: 'waiting',
    title: 'Waiting for the bank, with another way',
    async play(set) {
      const { page, order } = await open(set, { max_attempts: 3 })
      await goToBank(page)
      await page.close()
      return visit(set, order.url)
    },
  },
  {
    name: 'another-way',
    title: 'Declined, with another way',
    async play(set) {
      const { page } = await open(set, { max_attempts: 3 })
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
    play: (set) => paidBy(set, 'success@sandbox', '[data-key^="success"]'),
  },
  {
    name: 'declined',
    title: 'Declined',
    main: true,
    play: (set) => paidBy(set, 'failure@sandbox', '[data-key^="failed"]'),
  },
  {
    name: 'cancelled',
    title: 'Cancelled',
    async play(set) {
      const { page } = await open(set)
      await page.getByText('Cancel payment', { exact: true }).click()
      await press(page, 'Yes, cancel this payment')
      await waitForHeading(page, 'Payment cancelled')
      return page
    },
  },
  {
    name: 'expired',
    title: 'Expired',
    async play(set) {
      const { page } = await open(set, { expires_in: 5 })
      await page.getByRole('link', { name: /^Return to / }).waitFor()
      return page
    },
  },
  {
    name: 'unknown-link',
    title: 'A link that was never given',
    play: (set) => visit(set, `${set.baseUrl}/checkout/NOBODY-000000000000000000000000`),
  },
  {
    name: 'upi-app',
    title: "The sandbox's UPI app",
    async play({ shopper, networkUrl }) {
      const page = await shopper.newTab()
      await page.goto(`${networkUrl}/sandbox/upi`)
      return page
    },
  },
]

/** In Hindi these are their own scenes: the words that a walk waits for are others. */
export const HINDI_SCENES: readonly Scene[] = [
  ...SCENES.filter(({ main }) => main),
  ...[1, 2].map((index): Scene => {
    const name = index === 1 ? 'card' : 'netbanking'
    return {
      name,
      title: index === 1 ? 'Card' : 'Net banking',
      async play(set) {
        const { page } = await open(set)
        await page.locator('details.method > summary').nth(index).click()
        return page
      },
    }
  }),
]
