import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { ensureChromium } from '@gateway-infra/offline/chromium'

export interface OpenedPage {
  readonly page: Page
  /** Console messages and script errors; a page must cause none, not even by its own content security policy. */
  readonly complaints: string[]
  /** The addresses requested over the network. */
  readonly requests: string[]
}

/** Starts a real browser. Its pages reach this machine only. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] })
}

/** Opens an address as a new shopper, without cookies. The caller closes it: `page.context().close()`. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext(options)
  // Other sites answer 204, so the browser stays on the current page.
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

/** How many pixels the content is wider than the window. */
export async function overflowOf(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}
