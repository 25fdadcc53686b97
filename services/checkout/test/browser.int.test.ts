import type { Browser } from 'playwright-core'
import { eventually } from '@gateway/testkit'
import { openPage, overflowOf, startBrowser, type OpenedPage } from './browser.ts'
import { startFixture, type Fixture } from './fixture.ts'

/** A shopper with a real browser, against the whole service. */
let fixture: Fixture
let browser: Browser
beforeAll(async () => {
  fixture = await startFixture()
  browser = await startBrowser()
}, 300_000)
afterAll(async () => {
  await browser.close()
  await fixture.stop()
})
const open = (path: string, options: Parameters<typeof openPage>[2] = {}): Promise<OpenedPage> =>
  openPage(browser, fixture.url + path, options)

test('shows amount and QR code, and then success, without a reload', async () => {
  const { id, path } = fixture.payment()
  const { page, complaints } = await open(path)
  expect(await page.locator('.amount').innerText()).toContain('₹1,23,456.00')
  const code = page.getByRole('img', { name: 'QR code to pay ₹1,23,456.00 to Asha & Sons' })
  expect((await code.boundingBox())?.width).toBeGreaterThan(150)

  await page.evaluate('window.notReloaded = true')
  fixture.change(id, { status: 'Success' })
  await page.getByRole('heading', { name: 'Payment successful' }).waitFor()
  expect(await page.getByRole('status').textContent()).toMatch(/^Payment successful\. .*You return to the shop in 10 seconds\.$/u)
  expect(await page.getByRole('link', { name: 'Return to Asha & Sons' }).getAttribute('href')).toContain('status=Success')
  expect(await page.evaluate('window.notReloaded')).toBe(true)
  expect(await page.title()).toBe('Payment successful · Asha & Sons')
  expect(complaints).toEqual([])
  await page.context().close()
})

test('the page polls where event streams fail', async () => {
  const { id, path } = fixture.payment()
  const { page } = await open(path)
  await page.route('**/events?*', (route) => route.fulfill({ status: 502 }))
  await page.reload()
  fixture.change(id, { status: 'Failed', failure_reason: 'declined' })
  await page.getByRole('heading', { name: 'Payment declined' }).waitFor()
  await page.context().close()
})

test('typed input survives polls: the page changes only when the state does', async () => {
  const { id, path } = fixture.payment({ methods: ['card'] })
  const { page } = await open(path)
  await page.getByLabel('Name on card').fill('Asha')
  const looks = fixture.pollsOf(id)
  await eventually(() => expect(fixture.pollsOf(id)).toBeGreaterThan(looks + 1))
  expect(await page.getByLabel('Name on card').inputValue()).toBe('Asha')
  fixture.change(id, { closing: 'expired' })
  await page.getByRole('heading', { name: 'The time to pay has ended' }).and(page.locator(':focus')).waitFor()
  await page.context().close()
})

test.each([
  ['with scripts', true],
  ['without scripts', false],
])('cancels, %s', async (_name, javaScriptEnabled) => {
  const { path } = fixture.payment()
  const { page, complaints } = await open(path, { javaScriptEnabled })
  await page.getByText('Cancel payment').click()
  await page.getByRole('button', { name: 'Yes, cancel this payment' }).click()
  await page.getByRole('heading', { name: 'Cancelling' }).waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})

test.each([true, false])('a card: to the bank, back to the page, and another way (scripts: %s)', async (javaScriptEnabled) => {
  const { path } = fixture.payment({ methods: ['card', 'netbanking'], attempts_left: 2 })
  const { page, complaints } = await open(path, { javaScriptEnabled })
  await page.getByLabel('Card number').fill('4111111111111111')
  await page.getByLabel('Expiry (MM/YY)').fill('12/39')
  await page.getByLabel('CVV').fill('123')
  await page.getByLabel('Name on card').fill('Asha Rao')
  await page.getByRole('button', { name: 'Pay ₹1,23,456.00' }).click()
  await page.getByRole('link', { name: 'Continue to your bank' }).waitFor()
  await page.goto(fixture.url + path)
  await page.getByRole('heading', { name: 'Waiting for your bank' }).waitFor()
  await page.getByRole('link', { name: 'Continue to your bank' }).waitFor()
  await page.getByRole('button', { name: 'Try another way' }).click()
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a form that the server refuses shows the reasons, and neither number nor CVV', async () => {
  const { path } = fixture.payment()
  const { page } = await open(path, { javaScriptEnabled: false })
  await page.locator('summary', { hasText: /^Card$/u }).click()
  await page.getByLabel('Card number').fill('4111111111111112')
  await page.getByLabel('Name on card').fill('Asha Rao')
  await page.getByRole('button', { name: 'Pay ₹1,23,456.00' }).click()
  await page.locator('[data-form=card] [data-errors]:focus').waitFor()
  expect(await page.getByLabel('Card number').inputValue()).toBe('')
  expect(await page.getByLabel('Name on card').inputValue()).toBe('Asha Rao')
  await page.getByRole('link', { name: 'हिन्दी' }).click()
  await page.getByRole('heading', { name: 'आप भुगतान कैसे करना चाहेंगे?' }).waitFor()
  await page.context().close()
})

test('returns to the merchant after ten seconds, unless the shopper stays', async () => {
  for (const stay of [false, true]) {
    const { path } = fixture.payment({ status: 'Success' })
    const { page, requests } = await open('/checkout/unknown')
    await page.clock.install()
    await page.goto(fixture.url + path)
    await page.getByText('You return to the shop in 10 seconds.').first().waitFor()
    if (stay) await page.getByRole('button', { name: 'Stay on this page' }).click()
    await page.clock.runFor(11_000)
    const toShop = (): string[] => requests.filter((url) => url.startsWith('https://shop.example/back?cart=7&order_id=ORD-1001'))
    if (stay) expect(toShop()).toEqual([])
    else await eventually(() => expect(toShop()).not.toEqual([]))
    await page.context().close()
  }
})

test('the remaining time counts down', async () => {
  const { path } = fixture.payment()
  const { page } = await open(path)
  const timer = page.getByRole('timer')
  const first = await timer.innerText()
  expect(first).toMatch(/^(20:0[01]|19:[0-5]\d)$/u)
  await eventually(async () => expect(await timer.innerText()).not.toBe(first))
  await page.context().close()
})

test('without scripts, a page with nothing to press reloads by itself until it shows the result', async () => {
  const { id, path } = fixture.payment({ closing: 'cancelled' })
  const { page } = await open(path, { javaScriptEnabled: false })
  fixture.change(id, { status: 'Failed', failure_reason: 'cancelled' })
  await page.getByRole('heading', { name: 'Payment cancelled' }).waitFor()
  await page.context().close()
})

test('the chosen language stays, also on pages without a payment', async () => {
  const { path } = fixture.payment()
  const { page } = await open(path)
  await page.getByRole('link', { name: 'हिन्दी' }).click()
  await page.getByText('भुगतान रद्द करें', { exact: true }).waitFor()
  await page.goto(`${fixture.url}/checkout/unknown`)
  await page.getByRole('heading', { name: 'यह लिंक मान्य नहीं है' }).waitFor()
  await page.getByRole('link', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'This link is not valid' }).waitFor()
  await page.context().close()
})

test.each([320, 390, 1200])('nothing overflows at a width of %d, however long name, text and amount are', async (width) => {
  const { path } = fixture.payment({
    amount: '10000000.00',
    merchant: { id: 'M', name: 'W'.repeat(80) },
    description: 'W'.repeat(50),
  })
  const { page } = await open(path, { viewport: { width, height: 700 } })
  expect(await overflowOf(page)).toBe(0)
  expect(
    await page.evaluate("document.querySelector('.amount').scrollWidth - document.querySelector('.amount').clientWidth"),
  ).toBe(0)
  await page.context().close()
})
