/** The hosted page by keyboard alone, in Hindi, with mistakes, at the order's end, and on the way back to the shop. */
import { startJsonServer } from '@gateway/testkit'
import type { Page } from 'playwright-core'
import { DEVICES, type Shopper } from './support/browser.ts'
import { openCounter, type Counter } from './support/counter.ts'
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
import { tabAndPress, tabAndType, tabTo } from './support/keyboard.ts'

let counter: Counter
beforeAll(async () => (counter = await openCounter('Page Stores')), 300_000)
afterAll(() => counter.close(), 300_000)

let shopper: Shopper
const cameAs = async (device: 'phone' | 'desktop', options = {}): Promise<Shopper> =>
  (shopper = await counter.browsers.shopper(device, options))
afterEach(async () => {
  await shopper.leave()
  expect(shopper.complaints).toEqual([])
})

async function open(url: string): Promise<Page> {
  const page = await shopper.newTab()
  await page.goto(url)
  return page
}
const succeeds = (page: Page) => waitForHeading(page, 'Payment successful')

test('a debit card is told from a credit card by its issuer', async () => {
  await cameAs('phone')
  const { orderId, url } = await counter.order()
  const page = await open(url)
  await goToIssuer(page, CARDS.debit)
  await typeOtp(page, OTP.right)
  await succeeds(page)
  expect((await counter.search(orderId)).method).toBe('debit_card')
}, 90_000)

test('the order ends while the card is being typed: the page says so by itself', async () => {
  await cameAs('phone')
  const { url } = await counter.order({ expires_in: 15 })
  const page = await open(url)
  await fillCard(page, CARDS.asksOtp)
  await markPage(page)
  await waitForHeading(page, 'The time to pay has ended')
  expect(await isMarked(page)).toBe(true)
}, 90_000)

test('only the methods of the order are offered', async () => {
  await cameAs('phone')
  const { url } = await counter.order({ methods: ['card', 'netbanking'] })
  const page = await open(url)
  const offered = await page.locator('details.method > summary').allInnerTexts()
  expect(offered.map((name) => name.trim().split('\n')[0])).toEqual(['Card', 'Net banking'])
}, 90_000)

test('after the end the browser goes back to the shop by itself, with the order and a hint', async () => {
  await cameAs('desktop')
  const place = await startJsonServer(() => ({ status: 200, body: 'the shop' }))
  const { orderId, url, intent } = await counter.order({ return_url: place.url.replace('127.0.0.1', 'localhost') + '/back' })
  const page = await open(url)
  await counter.app.pay(intent, 'success@sandbox')
  await succeeds(page)
  await page.waitForURL(/\/back/u)
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('order_id'), searchParams.get('status')]).toEqual([orderId, 'Success'])
  // Before its shop: a page still asks for the shop's icon.
  await page.close()
  await place.stop()
}, 90_000)

describe('the keyboard alone', () => {
  test('pays by card', async () => {
    await cameAs('desktop')
    const { orderId, url } = await counter.order()
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
    await succeeds(page)
    await tabTo(page, /^Return to Page Stores/u)
    expect((await counter.search(orderId)).status).toBe('Success')
  }, 90_000)

  test('pays by net banking', async () => {
    await cameAs('desktop')
    const { orderId, url } = await counter.order()
    const page = await open(url)
    await tabAndPress(page, /^Net banking/u)
    await tabAndType(page, /^Search banks/u, 'hdfc')
    await tabAndPress(page, /^HDFC Bank/u, 'Space')
    await tabAndPress(page, /^Pay ₹/u)
    await atBank(page)
    await tabAndPress(page, /^Success/u)
    await succeeds(page)
    expect((await counter.search(orderId)).method).toBe('netbanking')
  }, 90_000)

  test('leaves UPI and cancels', async () => {
    await cameAs('desktop')
    const { orderId, url } = await counter.order()
    const page = await open(url)
    await tabAndPress(page, /^Cancel payment/u)
    await tabAndPress(page, /^Yes, cancel/u)
    await waitForHeading(page, 'Payment cancelled')
    expect((await counter.search(orderId)).failure_reason).toBe('cancelled')
  }, 90_000)
})

test.each(DEVICES)(
  'pages that no walk passes stand an inspection, on a %s',
  async (device) => {
    await cameAs(device)
    const { url } = await counter.order()
    const hindi = await open(`${url}?lang=hi`)
    await shopper.inspect(hindi, 'Hindi, UPI')
    expect(await hindi.locator('html').getAttribute('lang')).toBe('hi')
    const form = await open(`${url}?lang=en`)
    await choose(form, 'card')
    await pressPay(form)
    await form.getByText('Please check what you entered').first().waitFor()
    await shopper.inspect(form, 'a card form with mistakes')
    await chooseBank(form, 'HDFC Bank')
    await shopper.inspect(form, 'a bank that was chosen')
  },
  300_000,
)

test.each(DEVICES)(
  'a link that was never given has a page, on a %s',
  async (device) => {
    await cameAs(device)
    const page = await shopper.newTab()
    const answer = await page.request.get(`${counter.stack.description.base_url}/checkout/NOBODY-0000000000000000000000`)
    expect(answer.status()).toBe(404)
    await page.setContent(await answer.text())
    await waitForHeading(page, 'This link is not valid')
  },
  300_000,
)
