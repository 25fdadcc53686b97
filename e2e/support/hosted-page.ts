/** What a shopper does on the hosted page and on the pages of banks and issuers. */
import type { Page } from 'playwright-core'

export type PageMethod = 'upi' | 'card' | 'netbanking'

const METHOD_NAMES: Readonly<Record<PageMethod, string>> = { upi: 'UPI', card: 'Card', netbanking: 'Net banking' }

/** The test cards of docs/sandbox.md. */
export const CARDS = {
  asksOtp: '4111111111111111',
  debit: '6521500000000006',
  declined: '4000000000002016',
  pageTimesOut: '4000000000004020',
  answerLost: '4000000000005035',
} as const
export const OTP = { right: '123456', wrong: '000000' } as const

export async function waitForHeading(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { name }).first().waitFor()
}

/** Opens a payment method unless it is open. */
export async function choose(page: Page, method: PageMethod): Promise<void> {
  const details = page.locator('details.method', { has: page.locator('summary', { hasText: METHOD_NAMES[method] }) })
  if ((await details.getAttribute('open')) === null) await details.locator('summary').click()
}

export async function fillCard(page: Page, number: string): Promise<void> {
  await choose(page, 'card')
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry (MM/YY)').fill('12/35')
  await page.getByLabel('CVV').fill(/^3[47]/u.test(number) ? '1234' : '123')
  await page.getByLabel('Name on card').fill('Asha Rao')
}

export async function chooseBank(page: Page, name: string): Promise<void> {
  await choose(page, 'netbanking')
  await page.getByLabel(name, { exact: true }).check()
}

/** Presses the pay button of the open form. */
export async function pressPay(page: Page): Promise<void> {
  await page
    .locator('details[open]')
    .getByRole('button', { name: /^Pay ₹/u })
    .click()
}

/** Starts a card payment; ends at the issuer's page. */
export async function goToIssuer(page: Page, number: string = CARDS.asksOtp): Promise<void> {
  await fillCard(page, number)
  await pressPay(page)
  await atBank(page)
}

/** Starts a net banking payment; ends at the bank's page. */
export async function goToBank(page: Page, name = 'HDFC Bank'): Promise<void> {
  await chooseBank(page, name)
  await pressPay(page)
  await atBank(page)
}

export const atBank = (page: Page): Promise<void> => waitForHeading(page, 'Confirm your payment')

export async function typeOtp(page: Page, otp: string): Promise<void> {
  await page.getByLabel('One-time password').fill(otp)
  await press(page, 'Submit')
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

export async function cancel(page: Page): Promise<void> {
  await page.getByText('Cancel payment', { exact: true }).click()
  await press(page, 'Yes, cancel this payment')
}

/** Marks the page. A reload removes the mark, so a change of a marked page happened without a reload. */
export async function markPage(page: Page): Promise<void> {
  await page.evaluate('window.notReloaded = true')
}

export async function isMarked(page: Page): Promise<boolean> {
  return (await page.evaluate('window.notReloaded')) === true
}
