/** Shoppers' browsers: a real Chromium, as a phone or as a desktop, that remembers what it complained of. */
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { axeViolations } from '@gateway/testkit/axe'
import { ensureChromium } from '@gateway-infra/offline/chromium'

export type Device = 'phone' | 'desktop'
export const DEVICES: readonly Device[] = ['phone', 'desktop']

/** What Chrome says of itself on any phone with Android (developer.chrome.com, user-agent reduction). */
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36'

export const DEVICE_OPTIONS: Readonly<Record<Device, BrowserContextOptions>> = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2, userAgent: ANDROID },
  desktop: { viewport: { width: 1280, height: 800 } },
}

/** One person with one browser: its tabs share cookies. */
export interface Shopper {
  readonly device: Device
  newTab(): Promise<Page>
  /** What the console said and what was thrown, in every tab. */
  readonly complaints: readonly string[]
  /** Looks at a page once for each device and name; what axe finds, or sticks out of the screen, is a complaint. */
  inspect(page: Page, name: string): Promise<void>
  leave(): Promise<void>
}

export interface Browsers {
  shopper(device: Device, options?: BrowserContextOptions): Promise<Shopper>
  /** Every page that was inspected. */
  inspected(): readonly string[]
  close(): Promise<void>
}

const PATIENCE_MS = 30_000
const OVERHANG = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

export async function startBrowsers(): Promise<Browsers> {
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] })
  const inspected = new Set<string>()
  return {
    shopper: (device, options = {}) => openShopper(browser, device, options, inspected),
    inspected: () => [...inspected],
    close: () => browser.close(),
  }
}

async function openShopper(
  browser: Browser,
  device: Device,
  options: BrowserContextOptions,
  inspected: Set<string>,
): Promise<Shopper> {
  const context = await browser.newContext({ ...DEVICE_OPTIONS[device], locale: 'en-IN', ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  const complaints = listenTo(context)
  return {
    device,
    complaints,
    newTab: () => context.newPage(),
    async inspect(page, name) {
      const key = `${device}: ${name}`
      if (inspected.has(key)) return
      inspected.add(key)
      complaints.push(...(await axeViolations(page)).map((violation) => `${key}: ${violation}`))
      const overhang = Number(await page.evaluate(OVERHANG))
      if (overhang > 0) complaints.push(`${key}: ${overhang} pixels wider than the screen`)
    },
    leave: () => context.close(),
  }
}

/** A form that is wrong is answered 422, which browsers report as a failed load: that one is expected. */
const EXPECTED = /the server responded with a status of 422/u

function listenTo(context: BrowserContext): string[] {
  const complaints: string[] = []
  context.on('console', (message) => {
    if (!EXPECTED.test(message.text())) complaints.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => complaints.push(`error: ${error.error().message}`))
  return complaints
}
