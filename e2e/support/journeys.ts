/** Every payment method with every outcome: a shopper's journey through the hosted page to its result, on any device. */
import type { Page } from 'playwright-core'
import type { Shopper } from './browser.ts'
import * as hosted from './hosted-page.ts'
import type { UpiApp } from './merchant.ts'

/** What a journey works with. */
interface JourneyContext {
  readonly shopper: Shopper
  readonly app: UpiApp
  readonly url: string
  readonly intent: string
}

export type Journey = ReturnType<typeof journeysOf>[number]

const PAID = { status: 'Success', reason: null, heading: 'Payment successful' } as const
/** The final transaction and the heading of the result page. */
const OUTCOMES = {
  success: PAID,
  failure: { status: 'Failed', reason: 'declined', heading: 'Payment declined' },
  cancel: { status: 'Failed', reason: 'cancelled', heading: 'Payment cancelled' },
  expiry: { status: 'Failed', reason: 'expired', heading: 'The time to pay has ended' },
  'tab closed': PAID,
} as const
type Outcome = keyof typeof OUTCOMES

/** From the page with the open payment method; resolves to the tab that is to show the result. */
type Steps = (page: Page, context: JourneyContext) => Promise<Page>

const SHORT_UPI_ORDER_S = 20
/** With UPI the open page shows these outcomes by itself, without a reload. */
const SHOWN_WITHOUT_RELOAD: readonly Outcome[] = ['success', 'failure', 'expiry']

const UPI: Readonly<Record<Outcome, Steps>> = {
  success: payAs('success@sandbox'),
  failure: payAs('failure@sandbox'),
  async cancel(page) {
    await hosted.cancel(page)
    return page
  },
  expiry: (page) => Promise.resolve(page),
  async 'tab closed'(page, context) {
    await page.close()
    await context.app.pay(context.intent, 'success@sandbox')
    return openTab(context)
  },
}

function payAs(vpa: string): Steps {
  return async (page, { app, intent }) => {
    await app.pay(intent, vpa)
    return page
  }
}

/** How a shopper reaches the page of the issuer or the bank, and approves or declines there. */
interface BankPage {
  readonly method: 'card' | 'netbanking'
  readonly reach: (page: Page) => Promise<void>
  readonly reachOneThatTimesOut: (page: Page) => Promise<void>
  readonly approve: (page: Page) => Promise<void>
  readonly fail: (page: Page) => Promise<void>
}

const ISSUER: BankPage = {
  method: 'card',
  reach: (page) => hosted.goToIssuer(page),
  reachOneThatTimesOut: (page) => hosted.goToIssuer(page, hosted.CARDS.pageTimesOut),
  approve: (page) => hosted.typeOtp(page, hosted.OTP.right),
  async fail(page) {
    for (const left of ['2 tries are left', 'One try is left']) {
      await hosted.typeOtp(page, hosted.OTP.wrong)
      await page.getByText(left).waitFor()
    }
    await hosted.typeOtp(page, hosted.OTP.wrong)
  },
}
const BANK: BankPage = {
  method: 'netbanking',
  reach: (page) => hosted.goToBank(page),
  reachOneThatTimesOut: (page) => hosted.goToBank(page, 'Test bank: its page times out'),
  approve: (page) => hosted.press(page, 'Success'),
  fail: (page) => hosted.press(page, 'Failure'),
}

function stepsAt({ method, reach, reachOneThatTimesOut, approve, fail }: BankPage): Readonly<Record<Outcome, Steps>> {
  const arriveAnd =
    (decide: (page: Page) => Promise<void>): Steps =>
    async (page, { shopper }) => {
      await reach(page)
      await shopper.inspect(page, `${method}, at the bank`)
      await decide(page)
      return page
    }
  return {
    success: arriveAnd(approve),
    failure: arriveAnd(fail),
    cancel: arriveAnd((page) => hosted.press(page, 'Cancel')),
    async expiry(page, { shopper }) {
      await reachOneThatTimesOut(page)
      await hosted.waitForHeading(page, 'The time is over')
      await shopper.inspect(page, `${method}, too late at the bank`)
      await page.getByRole('link', { name: 'Back to the payment page' }).click()
      return page
    },
    async 'tab closed'(first, context) {
      await arriveAnd((page) => page.close())(first, context)
      const page = await openTab(context)
      await hosted.waitForHeading(page, 'Waiting for your bank')
      await context.shopper.inspect(page, `${method}, waiting`)
      await page.getByRole('link', { name: 'Continue to your bank' }).click()
      await hosted.atBank(page)
      await approve(page)
      return page
    },
  }
}

/** @param before the statuses of the webhooks before the final one */
function journeysOf(method: hosted.PageMethod, steps: Readonly<Record<Outcome, Steps>>, before: readonly string[]) {
  return (Object.keys(OUTCOMES) as Outcome[]).map((outcome) => {
    const { status, reason, heading } = OUTCOMES[outcome]
    const isUpi = method === 'upi'
    const isUnpaidUpi = isUpi && (outcome === 'cancel' || outcome === 'expiry')
    const paidBy = method === 'card' ? 'credit_card' : method
    const run = async (context: JourneyContext): Promise<void> => {
      const page = await openTab(context)
      await hosted.choose(page, method)
      await context.shopper.inspect(page, `${method}, before paying`)
      await hosted.markPage(page)
      const result = await steps[outcome](page, context)
      await expectResult(context, result, heading, reason ?? 'success')
      if (isUpi && SHOWN_WITHOUT_RELOAD.includes(outcome) && !(await hosted.isMarked(result)))
        throw new Error('the page was reloaded before it showed the result')
    }
    return {
      ...{ method, outcome, status, reason, run },
      /** The order's lifetime; the default when unset. */
      expiresInSeconds: isUpi && outcome === 'expiry' ? SHORT_UPI_ORDER_S : undefined,
      /** The method of the final transaction; `null` when nothing was paid. */
      transactionMethod: isUnpaidUpi ? null : paidBy,
      /** The statuses of the order's webhooks, in order. */
      webhooks: [...before, status],
    }
  })
}

async function openTab({ shopper, url }: JourneyContext): Promise<Page> {
  const page = await shopper.newTab()
  await page.goto(url)
  return page
}

/** Waits until the page shows the result and the link back to the merchant, then inspects it. */
async function expectResult({ shopper }: JourneyContext, page: Page, heading: string, name: string): Promise<void> {
  await hosted.waitForHeading(page, heading)
  // The heading may appear while the network is still being asked; the link back appears only at the end.
  await page.getByRole('link', { name: /^Return to / }).waitFor()
  await hosted.press(page, 'Stay on this page')
  await shopper.inspect(page, name)
}

export const JOURNEYS: readonly Journey[] = [
  ...journeysOf('upi', UPI, ['Initiate']),
  ...journeysOf('card', stepsAt(ISSUER), ['Initiate', 'Pending']),
  ...journeysOf('netbanking', stepsAt(BANK), ['Initiate', 'Pending']),
]
