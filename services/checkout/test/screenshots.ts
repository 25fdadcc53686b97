/** Takes screenshots of every page: `node services/checkout/test/screenshots.ts <folder> [name…]`. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Browser, type BrowserContext } from 'playwright-core'
import { ensureChromium } from '@gateway-infra/offline/chromium'
import { GALLERY, startGallery } from './gallery.ts'

const ANDROID =
  'Mozilla/5.0 (Linux; Android 13; M2006C3LI) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36'

export const DEVICES = {
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, userAgent: ANDROID },
  desktop: { viewport: { width: 1280, height: 800 } },
} as const
export const SCHEMES = ['light', 'dark'] as const

export type DeviceName = keyof typeof DEVICES
export type Scheme = (typeof SCHEMES)[number]

/** A browser context for a device. Other sites answer 204, so the browser stays on the current page. */
async function openDevice(browser: Browser, device: DeviceName, colorScheme: Scheme): Promise<BrowserContext> {
  const context = await browser.newContext({ ...DEVICES[device], colorScheme, reducedMotion: 'reduce' })
  await context.route(/^https?:\/\/(?!127\.0\.0\.1)/u, (route) => route.fulfill({ status: 204 }))
  return context
}

/** Takes one screenshot of a whole page, as `<folder>/<name>.png`. */
async function takeScreenshot(
  context: BrowserContext,
  { url, folder, name }: { url: string; folder: string; name: string },
): Promise<void> {
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator('h1').waitFor()
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  await page.close()
}

async function main([folder = 'screenshots', ...names]: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const gallery = await startGallery()
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] })
  for (const device of ['phone', 'desktop'] as const) {
    for (const scheme of SCHEMES) {
      const context = await openDevice(browser, device, scheme)
      for (const name of names.length > 0 ? names : Object.keys(GALLERY)) {
        for (const language of ['en', 'hi']) {
          const url = `${gallery.url}/checkout/${name}?lang=${language}`
          await takeScreenshot(context, { url, folder, name: `${name}-${device}-${scheme}-${language}` })
        }
      }
      await context.close()
    }
  }
  await browser.close()
  await gallery.stop()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2))
