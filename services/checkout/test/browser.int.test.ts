import { chromium, type Browser, type Page } from 'playwright-core'
import { eventually } from '@gateway/testkit'
import { ensureChromium } from '../../../infra/local/chromium.ts'
import { startFixture, type Fixture } from './fixture.ts'

/** A shopper with a real browser. */
let fixture: Fixture
let browser: Browser
beforeAll(async () => {
  fixture = await startFixture()
  browser = await chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] })
}, 300_000)
afterAll(async () => {
  await browser.close()
  await fixture.stop()
})

/** A page whose browser reports what it refused; the policy of the page must never get in its own way. */
async function openPage(
  path: string,
  options: { javaScriptEnabled?: boolean } = {},
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage(options)
  page.setDefaultTimeout(15_000)
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(fixture.url + path)
  return { page, complaints }
}

test('sees amount and code, and then success, without a reload', async () => {
  const { id, path } = fixture.payment()
  const { page, complaints } = await openPage(path)
  expect(await page.locator('.amount').innerText()).toContain('₹1,23,456.00')
  const code = page.getByRole('img', { name: 'QR code to pay ₹1,23,456.00 to Asha & Sons' })
  expect((await code.boundingBox())?.width).toBeGreaterThan(150)

  await page.evaluate('window.notReloaded = true')
  fixture.change(id, { status: 'Success' })
  await page.getByRole('heading', { name: 'Payment successful' }).waitFor()
  expect(await page.getByRole('status').textContent()).toBe('Payment successful')
  expect(await page.getByRole('link', { name: 'Return to Asha & Sons' }).getAttribute('href')).toContain('status=Success')
  expect(await page.evaluate('window.notReloaded')).toBe(true)
  expect(await page.title()).toBe('Payment successful')
  expect(complaints).toEqual([])
  await page.close()
}, 60_000)

test.each([
  ['with scripts', true],
  ['without scripts', false],
])(
  'cancels, %s',
  async (_name, javaScriptEnabled) => {
    const { path } = fixture.payment()
    const { page, complaints } = await openPage(path, { javaScriptEnabled })
    await page.getByText('Cancel payment').click()
    await page.getByRole('button', { name: 'Yes, cancel this payment' }).click()
    await page.getByRole('heading', { name: 'Cancelling' }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  },
  60_000,
)

test('the time that is left counts down', async () => {
  const { path } = fixture.payment()
  const { page } = await openPage(path)
  const timer = page.getByRole('timer')
  const first = await timer.innerText()
  expect(first).toMatch(/^(20:00|19:5\d)$/u)
  await eventually(async () => expect(await timer.innerText()).not.toBe(first))
  await page.close()
}, 60_000)

test('without scripts the page comes to show success by itself', async () => {
  const { id, path } = fixture.payment()
  const { page } = await openPage(path, { javaScriptEnabled: false })
  fixture.change(id, { status: 'Success' })
  await page.getByRole('heading', { name: 'Payment successful' }).waitFor()
  await page.close()
}, 60_000)

test.each([320, 390, 1200])(
  'nothing sticks out at a width of %d',
  async (width) => {
    const { path } = fixture.payment({
      amount: '10000000.00',
      merchant: { id: 'M', name: 'W'.repeat(80) },
      description: 'W'.repeat(50),
    })
    const { page } = await openPage(path)
    await page.setViewportSize({ width, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
    expect(
      await page.evaluate("document.querySelector('.amount').scrollWidth - document.querySelector('.amount').clientWidth"),
    ).toBe(0)
    await page.close()
  },
  60_000,
)
