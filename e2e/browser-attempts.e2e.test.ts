/** One attempt however often a shopper presses, another way when one does not work. */
import { eventually } from '@gateway/testkit'
import type { Page } from 'playwright-core'
import type { Shopper } from './support/browser.ts'
import { openCounter, type Counter } from './support/counter.ts'
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

let counter: Counter
beforeAll(async () => (counter = await openCounter('Attempt Stores')), 300_000)
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
const attemptsOf = async (orderId: string) =>
  (await counter.search(orderId)).attempts.map(({ method, status }) => [method, status])

test('a double click is one attempt', async () => {
  await cameAs('desktop')
  const { orderId, url } = await counter.order()
  const page = await open(url)
  await fillCard(page, CARDS.asksOtp)
  await page
    .locator('details[open]')
    .getByRole('button', { name: /^Pay ₹/u })
    .dblclick()
  await atBank(page)
  await typeOtp(page, OTP.right)
  await succeeds(page)
  expect(await attemptsOf(orderId)).toEqual([['credit_card', 'succeeded']])
}, 90_000)

test('two tabs are one attempt, and the one that waits changes by itself', async () => {
  await cameAs('desktop')
  const { orderId, url } = await counter.order()
  const tabs = [await open(url), await open(url)] as const
  for (const tab of tabs) await fillCard(tab, CARDS.asksOtp)
  // Whichever is later may have been told already that a payment has begun, and then has no form any more.
  await Promise.all(tabs.map((tab) => tab.evaluate("document.querySelector('details[open] form')?.requestSubmit()")))
  const [first, second] = tabs
  await Promise.any(tabs.map(atBank))
  for (const tab of tabs) {
    // The later one may still be on its way to the bank, and then is led there instead.
    await eventually(async () => {
      await tab.goto(url)
      await waitForHeading(tab, 'Waiting for your bank')
    })
  }
  await markPage(second)
  await first.getByRole('link', { name: 'Continue to your bank' }).click()
  await atBank(first)
  await typeOtp(first, OTP.right)
  await Promise.all(tabs.map(succeeds))
  expect(await isMarked(second)).toBe(true)
  expect(await attemptsOf(orderId)).toEqual([['credit_card', 'succeeded']])
}, 90_000)

test('back and reload are one attempt, and lead on', async () => {
  await cameAs('phone')
  const { orderId, url } = await counter.order()
  const page = await open(url)
  await goToIssuer(page)
  await page.goBack()
  await waitForHeading(page, 'Waiting for your bank')
  await page.reload()
  await page.getByRole('link', { name: 'Continue to your bank' }).click()
  await atBank(page)
  await page.reload()
  await typeOtp(page, OTP.right)
  await succeeds(page)
  await page.reload()
  await succeeds(page)
  expect(await attemptsOf(orderId)).toEqual([['credit_card', 'succeeded']])
}, 90_000)

test('another way while one is open: the first success wins, the other money goes back', async () => {
  await cameAs('phone')
  const { orderId, url } = await counter.order({ max_attempts: 3 })
  const first = await open(url)
  await goToIssuer(first)
  const second = await open(url)
  await press(second, 'Try another way')
  await goToBank(second)
  await press(second, 'Success')
  await succeeds(second)

  await typeOtp(first, OTP.right)
  await succeeds(first)
  await eventually(
    async () => {
      const { status, method, reversals } = await counter.search(orderId)
      expect([status, method]).toEqual(['Success', 'netbanking'])
      expect(reversals).toMatchObject([{ reason: 'duplicate', status: 'succeeded', amount: '1499.00' }])
    },
    { deadlineMs: 30_000, pauseMs: 200 },
  )
  expect(await attemptsOf(orderId)).toEqual([
    ['credit_card', 'reversed'],
    ['netbanking', 'succeeded'],
  ])
  const webhooks = await counter.webhooks(orderId, 3)
  expect(webhooks.map(({ payload }) => payload.status)).toEqual(['Initiate', 'Pending', 'Success'])
}, 90_000)

test('a decline says why, and another method pays', async () => {
  await cameAs('phone')
  const { orderId, url } = await counter.order({ max_attempts: 2 })
  const page = await open(url)
  await fillCard(page, CARDS.declined)
  await pressPay(page)
  await page.locator('.notice', { hasText: 'Your bank did not approve it' }).waitFor()
  await shopper.inspect(page, 'declined, another way')
  await goToBank(page, 'State Bank of India')
  await press(page, 'Success')
  await succeeds(page)
  expect(await attemptsOf(orderId)).toEqual([
    ['credit_card', 'failed'],
    ['netbanking', 'succeeded'],
  ])
}, 90_000)

test('the network loses its first answer: asked again under the same key, there is one payment', async () => {
  await cameAs('desktop')
  const { orderId, url } = await counter.order()
  const page = await open(url)
  await goToIssuer(page, CARDS.answerLost)
  await typeOtp(page, OTP.right)
  await succeeds(page)
  const { attempts, reversals } = await counter.search(orderId)
  expect([attempts.length, reversals]).toEqual([1, []])
}, 90_000)
