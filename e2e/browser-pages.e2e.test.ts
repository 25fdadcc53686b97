/** The hosted page with the keyboard alone, in Hindi, with invalid input, when the order expires, and the return to the merchant. */
import { startJsonServer } from '@gateway/testkit'
import type { Page } from 'playwright-core'
import { DEVICES, type Shopper } from './support/browser.ts'
import { startCheckoutFixture, type CheckoutFixture } from './support/checkout-fixture.ts'
import {
  atBank,
  CARDS,
  choose,
  chooseBank,
  fillCard,
  goToIssuer,
  isMarked,
  markPage,
  OTP,
  pressPay,
  typeOtp,
  waitForHeading,
} from './support/hosted-page.ts'

const MAX_TABS = 60
/** The accessible name of the focused element, approximated: label, `aria-label` or text. */
const FOCUSED = `(() => {
  const element = document.activeElement
  const label = element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent
  return (label ?? '').replace(/\\s+/gu, ' ').trim()
})()`

let fixture: CheckoutFixture
beforeAll(async () => (fixture = await startCheckoutFixture('Page Stores')), 300_000)
afterAll(() => fixture.close(), 300_000)

let shopper: Shopper
const openBrowser = async (device: 'phone' | 'desktop', options = {}): Promise<Shopper> =>
  (shopper = await fixture.browsers.shopper(device, options))
afterEach(async () => {
  await shopper.close()
  expect(shopper.problems).toEqual([])
})

async function open(url: string): Promise<Page> {
  const page = await shopper.newTab()
  await page.goto(url)
  return page
}
const waitForSuccess = (page: Page) => waitForHeading(page, 'Payment successful')

// Proves: page/debit-card-by-issuer
test('a debit card is distinguished from a credit card by its number', async () => {
  await openBrowser('phone')
  const { orderId, url } = await fixture.order()
  const page = await open(url)
  await goToIssuer(page, CARDS.debit)
  await typeOtp(page, OTP.right)
  await waitForSuccess(page)
  expect((await fixture.search(orderId)).method).toBe('debit_card')
})

test('the order expires while the card is being typed: the page shows it by itself', async () => {
  await openBrowser('phone')
  const { url } = await fixture.order({ expires_in: 20 })
  const page = await open(url)
  await fillCard(page, CARDS.asksOtp)
  await markPage(page)
  await waitForHeading(page, 'The time to pay has ended')
  expect(await isMarked(page)).toBe(true)
})

// Proves: page/only-the-orders-methods
test('only the methods of the order are offered', async () => {
  await openBrowser('phone')
  const { url } = await fixture.order({ methods: ['card', 'netbanking'] })
  const page = await open(url)
  const offered = await page.locator('details.method > summary').allInnerTexts()
  expect(offered.map((name) => name.trim().split('\n')[0])).toEqual(['Card', 'Net banking'])
})

// Proves: page/browser-returns-to-merchant
test('after the payment the browser returns to the merchant by itself, with the order id and the status', async () => {
  await openBrowser('desktop')
  const merchantServer = await startJsonServer(() => ({ status: 200, body: 'the merchant' }))
  const { orderId, url, intent } = await fixture.order({
    return_url: merchantServer.url.replace('127.0.0.1', 'localhost') + '/back',
  })
  const page = await open(url)
  await fixture.app.pay(intent, 'success@sandbox')
  await waitForSuccess(page)
  await page.waitForURL(/\/back/u)
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('order_id'), searchParams.get('status')]).toEqual([orderId, 'Success'])
  // Close the page before the server stops: the page still requests the site's icon.
  await page.close()
  await merchantServer.stop()
})

describe('with the keyboard alone', () => {
  // Proves: page/keyboard-alone-enough
  test('pays by card', async () => {
    await openBrowser('desktop')
    const { orderId, url } = await fixture.order()
    const page = await open(url)
    await tabAndPress(page, /^Card\b/u)
    await tabAndType(page, /^Card number/u, CARDS.asksOtp)
    await tabAndType(page, /^Expiry/u, '1235')
    await tabAndType(page, /^CVV/u, '123')
    await tabAndType(page, /^Name on card/u, 'Asha Rao')
    await page.keyboard.press('Enter')
    await atBank(page)
    await tabAndType(page, /^One-time password/u, OTP.right)
    await page.keyboard.press('Enter')
    await waitForSuccess(page)
    await tabTo(page, /^Return to Page Stores/u)
    expect((await fixture.search(orderId)).status).toBe('Success')
  })

  // Proves: page/keyboard-alone-enough
  test('pays by net banking', async () => {
    await openBrowser('desktop')
    const { orderId, url } = await fixture.order()
    const page = await open(url)
    await tabAndPress(page, /^Net banking/u)
    await tabAndType(page, /^Search banks/u, 'hdfc')
    await tabAndPress(page, /^HDFC Bank/u, 'Space')
    await tabAndPress(page, /^Pay ₹/u)
    await atBank(page)
    await tabAndPress(page, /^Success/u)
    await waitForSuccess(page)
    expect((await fixture.search(orderId)).method).toBe('netbanking')
  })

  // Proves: page/keyboard-alone-enough
  test('cancels', async () => {
    await openBrowser('desktop')
    const { orderId, url } = await fixture.order()
    const page = await open(url)
    await tabAndPress(page, /^Cancel payment/u)
    await tabAndPress(page, /^Yes, cancel/u)
    await waitForHeading(page, 'Payment cancelled')
    expect((await fixture.search(orderId)).failure_reason).toBe('cancelled')
  })
})

// Proves: page/accessible
test.each(DEVICES)(
  'pages that no journey visits pass the inspection, on a %s',
  async (device) => {
    await openBrowser(device)
    const { url } = await fixture.order()
    const hindi = await open(`${url}?lang=hi`)
    await shopper.inspect(hindi, 'Hindi, UPI')
    expect(await hindi.locator('html').getAttribute('lang')).toBe('hi')
    const form = await open(`${url}?lang=en`)
    await choose(form, 'card')
    await pressPay(form)
    await form.getByText('Please check what you entered').first().waitFor()
    await shopper.inspect(form, 'a card form with invalid input')
    await chooseBank(form, 'HDFC Bank')
    await shopper.inspect(form, 'a chosen bank')
  },
  300_000,
)

test.each(DEVICES)(
  'an unknown link shows a page, on a %s',
  async (device) => {
    await openBrowser(device)
    const page = await shopper.newTab()
    const answer = await page.request.get(`${fixture.stack.description.base_url}/checkout/NOBODY-0000000000000000000000`)
    expect(answer.status()).toBe(404)
    await page.setContent(await answer.text())
    await waitForHeading(page, 'This link is not valid')
  },
  300_000,
)

/** Presses Tab until the element with this name has the focus. Throws when no element of this name is reached. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    await page.keyboard.press('Tab')
    const focused = String(await page.evaluate(FOCUSED))
    if (name.test(focused)) return
    passed.push(focused.slice(0, 30))
  }
  throw new Error(`the keyboard never reached ${String(name)}; it passed ${passed.join(' · ')}`)
}

async function tabAndPress(page: Page, name: RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

async function tabAndType(page: Page, name: RegExp, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.type(text)
}
