import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { newTransactionId } from '@gateway/contracts'
import { eventually, startJsonServer, type JsonServer } from '@gateway/testkit'
import { axeViolations } from '@gateway/testkit/axe'
import { ensureChromium } from '@gateway-infra/offline/chromium'
import { API_KEY, startFixture, type Fixture } from './fixture.ts'

/** The pages of banks, issuers and the UPI app in a real browser. */
let fixture: Fixture
let browser: Browser
/** The address that the shopper returns to. */
let returnSite: JsonServer
beforeAll(async () => {
  fixture = await startFixture()
  returnSite = await startJsonServer(() => ({ status: 200, body: 'returned' }))
  browser = await chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] })
}, 300_000)
afterAll(async () => {
  await browser.close()
  await returnSite.stop()
  await fixture.stop()
})

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['on a phone, light', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, colorScheme: 'light' }],
  ['on a phone, dark', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, colorScheme: 'dark' }],
  ['on a desktop, light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['on a desktop, dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
]
let attempts = 0

/** Starts a payment, and returns the path of the page where it is decided. */
async function startAt(instrument: { readonly number: string } | { readonly bank: string }): Promise<string> {
  const attemptId = `attempt-${String(++attempts)}`
  const card = { expiry_month: '12', expiry_year: '2030', cvv: '987', name: 'Asha Rao' }
  const body = {
    attempt_id: attemptId,
    tr: newTransactionId(new Date(), 0),
    amount: '1499.00',
    currency: 'INR',
    description: 'Blue shirt, two pairs of socks and a very long belt',
    return_url: `${returnSite.url}/back`,
    ...('bank' in instrument
      ? { method: 'netbanking', netbanking: instrument }
      : { method: 'credit_card', card: { ...card, ...instrument } }),
  }
  body.description = body.description.slice(0, 50)
  const headers = { authorization: `Bearer ${API_KEY}`, 'idempotency-key': attemptId }
  const answer = await fixture.call<{ redirect_url: string }>('POST', '/network/v1/payments', body, headers)
  return new URL(answer.body.redirect_url).pathname
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage(options)
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(fixture.url + path)
  return { page, complaints }
}
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
const sticksOut = (page: Page) => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** No axe violation, and nothing wider than the screen. */
async function expectSound(page: Page): Promise<void> {
  expect(await axeViolations(page)).toEqual([])
  expect(await sticksOut(page)).toBe(0)
}

describe.each(LOOKS)('%s', (_look, options) => {
  // Proves: page/accessible
  test("the issuer's page, from a wrong password to the right one", async () => {
    const { page, complaints } = await open(await startAt({ number: '4111111111111111' }), options)
    await heading(page, 'Confirm your payment')
    await expectSound(page)
    await page.getByLabel('One-time password').fill('000000')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('One-time password').evaluate('document.activeElement.id')).toBe('otp')
    await expectSound(page)
    await page.getByRole('button', { name: 'Send a new one-time password' }).click()
    await page.getByText('A new one-time password was sent').waitFor()
    await expectSound(page)
    await page.getByLabel('One-time password').fill('123456')
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.waitForURL(`${returnSite.url}/back`)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test("the bank's page, open and closed", async () => {
    const path = await startAt({ bank: 'HDFC' })
    const { page, complaints } = await open(path, options)
    await expectSound(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL(`${returnSite.url}/back`)
    await page.goto(fixture.url + path)
    await heading(page, 'Payment not approved')
    await expectSound(page)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('the UPI app', async () => {
    const { page, complaints } = await open('/sandbox/upi', options)
    await expectSound(page)
    await page.getByLabel('UPI link').fill(fixture.order().intent)
    await page.getByLabel('pending@sandbox').check()
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await heading(page, 'Pending')
    await expectSound(page)
    await page.getByRole('button', { name: 'Approve' }).click()
    await heading(page, 'Paid')
    await expectSound(page)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

test('by keyboard alone: a password, and Enter', async () => {
  const { page } = await open(await startAt({ number: '5555555555554444' }))
  await page.keyboard.press('Tab')
  await page.keyboard.type('123456')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${returnSite.url}/back`)
  await page.context().close()
})

test('the time counts down, and at its end the page says so by itself', async () => {
  const { page, complaints } = await open(await startAt({ number: '4000000000004020' }))
  const timer = page.getByRole('timer')
  const first = await timer.innerText()
  await eventually(async () => expect(await timer.innerText()).not.toBe(first))
  await heading(page, 'The time is over')
  await expectSound(page)
  await page.getByRole('link', { name: 'Back to the payment page' }).click()
  await page.waitForURL(`${returnSite.url}/back`)
  expect(complaints).toEqual([])
  await page.context().close()
})

test('it works without scripts', async () => {
  const { page } = await open(await startAt({ number: '4111111111111111' }), { javaScriptEnabled: false })
  await page.getByLabel('One-time password').fill('123456')
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.waitForURL(`${returnSite.url}/back`)
  await page.context().close()
})

test('an unknown address', async () => {
  const { page } = await open('/bank/never-given')
  await heading(page, 'Not found')
  await expectSound(page)
  await page.context().close()
})
