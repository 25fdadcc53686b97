/** Shoppers' browsers: a real Chromium as a phone or a desktop, which records every problem of the pages. */
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { axeViolations } from '@gateway/testkit/axe'
import { ensureChromium } from '@gateway-infra/offline/chromium'

export type Device = 'phone' | 'desktop'
export const DEVICES: readonly Device[] = ['phone', 'desktop']

/** The user agent of Chrome on any Android phone (developer.chrome.com, user-agent reduction). */
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36'

const DEVICE_OPTIONS: Readonly<Record<Device, BrowserContextOptions>> = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2, userAgent: ANDROID },
  desktop: { viewport: { width: 1280, height: 800 } },
}

/** One shopper with one browser; its tabs share cookies. */
export type Shopper = Awaited<ReturnType<typeof openShopper>>
export type Browsers = Awaited<ReturnType<typeof startBrowsers>>

const ACTION_TIMEOUT_MS = 30_000
const OVERHANG = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

export async function startBrowsers() {
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] })
  const inspected = new Set<string>()
  return {
    shopper: (device: Device, options: BrowserContextOptions = {}) => openShopper(browser, device, options, inspected),
    /** The device and name of every inspected page. */
    inspected: () => [...inspected],
    close: () => browser.close(),
  }
}

async function openShopper(browser: Browser, device: Device, options: BrowserContextOptions, inspected: Set<string>) {
  const context = await browser.newContext({ ...DEVICE_OPTIONS[device], locale: 'en-IN', ...options })
  context.setDefaultTimeout(ACTION_TIMEOUT_MS)
  const problems = recordProblems(context)
  return {
    device,
    /** Console messages and errors of every tab, and what `inspect` found. */
    problems,
    newTab: () => context.newPage(),
    /** Inspects a page, once for each device and name: accessibility violations and horizontal overflow become problems. */
    async inspect(page: Page, name: string) {
      const key = `${device}: ${name}`
      if (inspected.has(key)) return
      inspected.add(key)
      problems.push(...(await axeViolations(page)).map((violation) => `${key}: ${violation}`))
      const overhang = Number(await page.evaluate(OVERHANG))
      if (overhang > 0) problems.push(`${key}: ${overhang} pixels wider than the screen`)
    },
    close: () => context.close(),
  }
}

/** An invalid form is answered with 422, which browsers report as a failed load. That is expected. */
const EXPECTED = /the server responded with a status of 422/u

function recordProblems(context: BrowserContext): string[] {
  const problems: string[] = []
  context.on('console', (message) => {
    if (!EXPECTED.test(message.text())) problems.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => problems.push(`error: ${error.error().message}`))
  return problems
}
