import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { ensureChromium } from '@gateway-infra/offline/chromium'

export interface OpenedPage {
  readonly page: Page
  /** What the browser refused or warned of: the policy of the page must never get in its own way. */
  readonly complaints: string[]
  /** The addresses asked for over the network. */
  readonly requests: string[]
}

/** A real browser; it reaches this machine only. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] })
}

/** A shopper with a browser of their own (no cookies yet) at an address. Whoever opens closes: `page.context().close()`. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext(options)
  // Banks and shops answer nothing that could be shown, so the browser stays where it is.
  await context.route(/^https?:\/\/(?!127\.0\.0\.1)/u, (route) => route.fulfill({ status: 204 }))
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (request.url().startsWith('http')) requests.push(request.url())
  })
  await page.goto(url)
  return { page, complaints, requests }
}

/** How many pixels something sticks out to the side. */
export async function overflowOf(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}
