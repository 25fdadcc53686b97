import type { Page } from 'playwright-core'
import { atBank, CARDS, goToBank, goToIssuer, OTP, press, typeOtp, waitForHeading } from './hosted-page.ts'
import { failed, HEADINGS, open, shows, success, type Stage, type Journey } from './journey.ts'

/** Goes to the page of the issuer or the bank, and decides there. */
interface AtBank {
  readonly method: 'card' | 'netbanking'
  readonly paidBy: string
  readonly go: (page: Page) => Promise<void>
  readonly goWhereItTimesOut: (page: Page) => Promise<void>
  readonly approve: (page: Page) => Promise<void>
  readonly fail: (page: Page) => Promise<void>
}

const PLACES: readonly AtBank[] = [
  {
    method: 'card',
    paidBy: 'credit_card',
    go: (page) => goToIssuer(page),
    goWhereItTimesOut: (page) => goToIssuer(page, CARDS.pageTimesOut),
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
    paidBy: 'netbanking',
    go: (page) => goToBank(page),
    goWhereItTimesOut: (page) => goToBank(page, 'Test bank: its page times out'),
    approve: (page) => press(page, 'Success'),
    fail: (page) => press(page, 'Failure'),
  },
]

const BEFORE = ['Initiate', 'Pending'] as const

function journeysAt({ method, paidBy, go, goWhereItTimesOut, approve, fail }: AtBank): readonly Journey[] {
  const arrive = async (stage: Stage): Promise<Page> => {
    const page = await open(stage, method)
    await go(page)
    await stage.shopper.inspect(page, `${method}, at the bank`)
    return page
  }
  return [
    {
      method,
      outcome: 'success',
      ...success,
      paidBy,
      webhooks: [...BEFORE, 'Success'],
      async run(stage) {
        const page = await arrive(stage)
        await approve(page)
        await shows(stage, page, HEADINGS.success, 'success')
      },
    },
    {
      method,
      outcome: 'failure',
      ...failed('declined'),
      paidBy,
      webhooks: [...BEFORE, 'Failed'],
      async run(stage) {
        const page = await arrive(stage)
        await fail(page)
        await shows(stage, page, HEADINGS.declined, 'declined')
      },
    },
    {
      method,
      outcome: 'cancel',
      ...failed('cancelled'),
      paidBy,
      webhooks: [...BEFORE, 'Failed'],
      async run(stage) {
        const page = await arrive(stage)
        await press(page, 'Cancel')
        await shows(stage, page, HEADINGS.cancelled, 'cancelled')
      },
    },
    {
      method,
      outcome: 'expiry',
      ...failed('expired'),
      paidBy,
      webhooks: [...BEFORE, 'Failed'],
      async run(stage) {
        const page = await open(stage, method)
        await goWhereItTimesOut(page)
        await waitForHeading(page, 'The time is over')
        await stage.shopper.inspect(page, `${method}, too late at the bank`)
        await page.getByRole('link', { name: 'Back to the payment page' }).click()
        await shows(stage, page, HEADINGS.expired, 'expired')
      },
    },
    {
      method,
      outcome: 'tab closed',
      ...success,
      paidBy,
      webhooks: [...BEFORE, 'Success'],
      async run(stage) {
        await (await arrive(stage)).close()
        const page = await stage.shopper.newTab()
        await page.goto(stage.url)
        await waitForHeading(page, 'Waiting for your bank')
        await stage.shopper.inspect(page, `${method}, waiting`)
        await page.getByRole('link', { name: 'Continue to your bank' }).click()
        await atBank(page)
        await approve(page)
        await shows(stage, page, HEADINGS.success, 'success')
      },
    },
  ]
}

/** Cards at their issuer's page, and net banking at the bank's. */
export const BANK_JOURNEYS: readonly Journey[] = PLACES.flatMap(journeysAt)
