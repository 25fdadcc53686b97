/** A shopper's repeated clicks, tabs and reloads make one attempt; after a failure another method can be used. */
import { eventually } from '@gateway/testkit'
import type { Page } from 'playwright-core'
import type { Shopper } from './support/browser.ts'
import { startCheckoutFixture, type CheckoutFixture } from './support/checkout-fixture.ts'
import {
  atBank,
  CARDS,
  fillCard,
  goToBank,
  goToIssuer,
  isMarked,
  markPage,
  OTP,
  press,
  pressPay,
  typeOtp,
  waitForHeading,
} from './support/hosted-page.ts'

let fixture: CheckoutFixture
beforeAll(async () => (fixture = await startCheckoutFixture('Attempt Stores')), 300_000)
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
const attemptsOf = async (orderId: string) =>
  (await fixture.search(orderId)).attempts.map(({ method, status }) => [method, status])

// Proves: page/repeated-form-is-one-attempt
test('a double click makes one attempt', async () => {
  await openBrowser('desktop')
  const { orderId, url } = await fixture.order()
  const page = await open(url)
  await fillCard(page, CARDS.asksOtp)
  await page
    .locator('details[open]')
    .getByRole('button', { name: /^Pay ₹/u })
    .dblclick()
  await atBank(page)
  await typeOtp(page, OTP.right)
  await waitForSuccess(page)
  expect(await attemptsOf(orderId)).toEqual([['credit_card', 'succeeded']])
})

// Proves: page/repeated-form-is-one-attempt
test('two tabs make one attempt, and the waiting tab updates by itself', async () => {
  await openBrowser('desktop')
  const { orderId, url } = await fixture.order()
  const tabs = [await open(url), await open(url)] as const
  for (const tab of tabs) await fillCard(tab, CARDS.asksOtp)
  // The later tab may already show that a payment has begun, and then has no form.
  await Promise.all(tabs.map((tab) => tab.evaluate("document.querySelector('details[open] form')?.requestSubmit()")))
  const [first, second] = tabs
  await Promise.any(tabs.map(atBank))
  for (const tab of tabs) {
    // The later tab may still be on its way to the bank's page, and then shows that page instead.
    await eventually(async () => {
      await tab.goto(url)
      await waitForHeading(tab, 'Waiting for your bank')
    })
  }
  await markPage(second)
  await first.getByRole('link', { name: 'Continue to your bank' }).click()
  await atBank(first)
  await typeOtp(first, OTP.right)
  await Promise.all(tabs.map(waitForSuccess))
  expect(await isMarked(second)).toBe(true)
  expect(await attemptsOf(orderId)).toEqual([['credit_card', 'succeeded']])
})

// Proves: page/repeated-form-is-one-attempt
test('going back and reloading make one attempt, and the shopper can continue', async () => {
  await openBrowser('phone')
  const { orderId, url } = await fixture.order()
  const page = await open(url)
  await goToIssuer(page)
  await page.goBack()
  await waitForHeading(page, 'Waiting for your bank')
  await page.reload()
  await page.getByRole('link', { name: 'Continue to your bank' }).click()
  await atBank(page)
  await page.reload()
  await typeOtp(page, OTP.right)
  await waitForSuccess(page)
  await page.reload()
  await waitForSuccess(page)
  expect(await attemptsOf(orderId)).toEqual([['credit_card', 'succeeded']])
})

// Proves: page/another-way-while-one-is-open
test('a second method while an attempt is open: the first success wins, the other payment is reversed', async () => {
  await openBrowser('phone')
  const { orderId, url } = await fixture.order({ max_attempts: 3 })
  const first = await open(url)
  await goToIssuer(first)
  const second = await open(url)
  await press(second, 'Try another way')
  await goToBank(second)
  await press(second, 'Success')
  await waitForSuccess(second)

  await typeOtp(first, OTP.right)
  await waitForSuccess(first)
  await eventually(
    async () => {
      const { status, method, reversals } = await fixture.search(orderId)
      expect([status, method]).toEqual(['Success', 'netbanking'])
      expect(reversals).toMatchObject([{ reason: 'duplicate', status: 'succeeded', amount: '1499.00' }])
    },
    { deadlineMs: 30_000, pauseMs: 200 },
  )
  expect(await attemptsOf(orderId)).toEqual([
    ['credit_card', 'reversed'],
    ['netbanking', 'succeeded'],
  ])
  const webhooks = await fixture.webhooks(orderId, 3)
  expect(webhooks.map(({ payload }) => payload.status)).toEqual(['Initiate', 'Pending', 'Success'])
})

// Proves: page/decline-offers-another-method
test('a decline shows its reason, and another method pays', async () => {
  await openBrowser('phone')
  const { orderId, url } = await fixture.order({ max_attempts: 2 })
  const page = await open(url)
  await fillCard(page, CARDS.declined)
  await pressPay(page)
  await page.locator('.notice', { hasText: 'Your bank did not approve it' }).waitFor()
  await shopper.inspect(page, 'declined, another method offered')
  await goToBank(page, 'State Bank of India')
  await press(page, 'Success')
  await waitForSuccess(page)
  expect(await attemptsOf(orderId)).toEqual([
    ['credit_card', 'failed'],
    ['netbanking', 'succeeded'],
  ])
})

// Proves: page/lost-answer-is-repeated-with-its-key
test('the network’s first answer is lost: the retry with the same idempotency key makes no second payment', async () => {
  await openBrowser('desktop')
  const { orderId, url } = await fixture.order()
  const page = await open(url)
  await goToIssuer(page, CARDS.answerLost)
  await typeOtp(page, OTP.right)
  await waitForSuccess(page)
  const { attempts, reversals } = await fixture.search(orderId)
  expect([attempts.length, reversals]).toEqual([1, []])
})
