import type { Page } from 'playwright-core'
import { atBank, CARDS, goToBank, goToIssuer, OTP, press, typeOtp, waitForHeading } from './hosted-page.ts'
import { failed, HEADINGS, open, expectResult, success, type JourneyContext, type Journey } from './journey.ts'

/** How a shopper reaches the page of the issuer or the bank, and approves or declines there. */
interface BankPage {
  readonly method: 'card' | 'netbanking'
  readonly transactionMethod: string
  readonly reach: (page: Page) => Promise<void>
  readonly reachOneThatTimesOut: (page: Page) => Promise<void>
  readonly approve: (page: Page) => Promise<void>
  readonly fail: (page: Page) => Promise<void>
}

const BANK_PAGES: readonly BankPage[] = [
  {
    method: 'card',
    transactionMethod: 'credit_card',
    reach: (page) => goToIssuer(page),
    reachOneThatTimesOut: (page) => goToIssuer(page, CARDS.pageTimesOut),
    approve: (page) => typeOtp(page, OTP.right),
    async fail(page) {
      for (const left of ['2 tries are left', 'One try is left']) {
        await typeOtp(page, OTP.wrong)
        await page.getByText(left).waitFor()
      }
      await typeOtp(page, OTP.wrong)
    },
  },
  {
    method: 'netbanking',
    transactionMethod: 'netbanking',
    reach: (page) => goToBank(page),
    reachOneThatTimesOut: (page) => goToBank(page, 'Test bank: its page times out'),
    approve: (page) => press(page, 'Success'),
    fail: (page) => press(page, 'Failure'),
  },
]

const BEFORE = ['Initiate', 'Pending'] as const

function journeysAt({ method, transactionMethod, reach, reachOneThatTimesOut, approve, fail }: BankPage): readonly Journey[] {
  const arrive = async (context: JourneyContext): Promise<Page> => {
    const page = await open(context, method)
    await reach(page)
    await context.shopper.inspect(page, `${method}, at the bank`)
    return page
  }
  return [
    {
      method,
      outcome: 'success',
      ...success,
      transactionMethod,
      webhooks: [...BEFORE, 'Success'],
      async run(context) {
        const page = await arrive(context)
        await approve(page)
        await expectResult(context, page, HEADINGS.success, 'success')
      },
    },
    {
      method,
      outcome: 'failure',
      ...failed('declined'),
      transactionMethod,
      webhooks: [...BEFORE, 'Failed'],
      async run(context) {
        const page = await arrive(context)
        await fail(page)
        await expectResult(context, page, HEADINGS.declined, 'declined')
      },
    },
    {
      method,
      outcome: 'cancel',
      ...failed('cancelled'),
      transactionMethod,
      webhooks: [...BEFORE, 'Failed'],
      async run(context) {
        const page = await arrive(context)
        await press(page, 'Cancel')
        await expectResult(context, page, HEADINGS.cancelled, 'cancelled')
      },
    },
    {
      method,
      outcome: 'expiry',
      ...failed('expired'),
      transactionMethod,
      webhooks: [...BEFORE, 'Failed'],
      async run(context) {
        const page = await open(context, method)
        await reachOneThatTimesOut(page)
        await waitForHeading(page, 'The time is over')
        await context.shopper.inspect(page, `${method}, too late at the bank`)
        await page.getByRole('link', { name: 'Back to the payment page' }).click()
        await expectResult(context, page, HEADINGS.expired, 'expired')
      },
    },
    {
      method,
      outcome: 'tab closed',
      ...success,
      transactionMethod,
      webhooks: [...BEFORE, 'Success'],
      async run(context) {
        await (await arrive(context)).close()
        const page = await context.shopper.newTab()
        await page.goto(context.url)
        await waitForHeading(page, 'Waiting for your bank')
        await context.shopper.inspect(page, `${method}, waiting`)
        await page.getByRole('link', { name: 'Continue to your bank' }).click()
        await atBank(page)
        await approve(page)
        await expectResult(context, page, HEADINGS.success, 'success')
      },
    },
  ]
}

/** Cards at the issuer's page, and net banking at the bank's page. */
export const BANK_JOURNEYS: readonly Journey[] = BANK_PAGES.flatMap(journeysAt)
