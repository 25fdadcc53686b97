import { axeViolations } from '@gateway/testkit/axe'
import { openPage, overflowOf } from './browser.ts'
import { galleryInBrowser } from './gallery-in-browser.ts'
import { GALLERY } from './gallery.ts'
import { DEVICES } from './screenshots.ts'

/** Every page of the service, in both languages and on several screens. */
const running = galleryInBrowser()

const NAMES = Object.keys(GALLERY)
const MAX_PAGE_BYTES = 100_000
/** A window of 1280 × 1024 at 400 % is as wide as the narrowest phone (WCAG 2.2, 1.4.10), and lower. */
const WINDOWS = [
  { width: 320, height: 256 },
  { width: 390, height: 800 },
  { width: 1200, height: 800 },
]
const SHOPPERS = [
  { language: 'en', colorScheme: 'light', device: DEVICES.phone },
  { language: 'hi', colorScheme: 'dark', device: DEVICES.desktop },
] as const
const openAll = `for (const details of document.querySelectorAll('details.more')) details.open = true`

describe.each(SHOPPERS)('in $language, $colorScheme', ({ language, colorScheme, device }) => {
  test.each(NAMES)(
    '%s: one request (and the events), under 100 kB; no axe violation, no overflow, no console message',
    async (name) => {
      const url = `${running.gallery.url}/checkout/${name}?lang=${language}`
      const { page, complaints, requests } = await openPage(running.browser, url, {
        ...device,
        colorScheme,
        reducedMotion: 'reduce',
      })
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      expect(Buffer.byteLength(await page.content())).toBeLessThan(MAX_PAGE_BYTES)
      await page.evaluate(openAll)
      expect(await axeViolations(page)).toEqual([])
      for (const window of WINDOWS) {
        await page.setViewportSize(window)
        expect([window.width, await overflowOf(page)]).toEqual([window.width, 0])
      }
      const ours = requests.filter((address) => address.startsWith(running.gallery.url) && !address.includes('/events?key='))
      // A page that loads itself again after five seconds may have done so by now.
      const loadsAgain = (await page.locator('meta[http-equiv=refresh]').count()) > 0
      expect(loadsAgain ? [...new Set(ours)] : ours).toEqual([url])
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )
})

test.each(['choose-upi', 'choose-card', 'choose-bank', 'waiting-bank', 'success'])(
  'on a phone every target of %s measures at least 24 pixels, and 48 for the main controls',
  async (name) => {
    const { page } = await openPage(running.browser, `${running.gallery.url}/checkout/${name}`, DEVICES.phone)
    await page.evaluate(openAll)
    const targets = 'a, button, summary, label:has(input), .box input'
    const main = '.button, .method > summary, .apps a, .banks label, .box input'
    const sizes: unknown = await page.evaluate(`[...document.querySelectorAll('${targets}')]
      .map((target) => [target, target.getBoundingClientRect()])
      .filter(([, box]) => box.width > 0)
      .map(([target, box]) => [target.textContent, Math.round(Math.min(box.width, box.height)), target.matches('${main}') ? 48 : 24])`)
    const found = sizes as [text: string, size: number, least: number][]
    expect(found.length).toBeGreaterThan(2)
    expect(found.filter(([, size, least]) => size < least)).toEqual([])
    await page.context().close()
  },
)

test('axe does find a missing label and low contrast', async () => {
  const { page } = await openPage(running.browser, `${running.gallery.url}/checkout/choose-card`)
  await page.evaluate(`document.querySelector('label[for=card_cvv]').remove()`)
  await page.evaluate(`document.querySelector('h1').style.color = '#ccc'`)
  expect((await axeViolations(page)).join()).toMatch(/color-contrast[\s\S]*label/u)
  await page.context().close()
})

test('with forced colours the open method is still visible', async () => {
  const { page } = await openPage(running.browser, `${running.gallery.url}/checkout/choose-card`, { forcedColors: 'active' })
  const borders = await page.evaluate(
    `[...document.querySelectorAll('.method > summary .dot')].map((dot) => getComputedStyle(dot).borderTopWidth)`,
  )
  expect(borders).toEqual(['6px', '2px'])
  await page.context().close()
})
