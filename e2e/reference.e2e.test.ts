/** The API reference in a browser, as the gateway serves it. */
import { startBrowsers, DEVICES, type Browsers } from './support/browser.ts'
import { sharedStack } from './support/running-stack.ts'

let browsers: Browsers
beforeAll(async () => (browsers = await startBrowsers()), 120_000)
afterAll(() => browsers.close())

// Proves: reference/page-is-static-and-accessible
test.each(DEVICES)(
  'on a %s the reference needs no script, breaks no policy and is accessible',
  async (device) => {
    const shopper = await browsers.shopper(device)
    const page = await shopper.newTab()
    const response = await page.goto(`${sharedStack().description.base_url}/docs`)
    expect(response?.status()).toBe(200)
    expect(response?.headers()['content-security-policy']).toBe("default-src 'none'; style-src 'self'")
    expect(await page.locator('script').count()).toBe(0)
    expect(await page.locator('article').count()).toBeGreaterThan(15)
    // The style sheet was loaded.
    expect(await page.evaluate("getComputedStyle(document.querySelector('pre')).borderRadius")).toBe('6px')
    await shopper.inspect(page, 'reference')
    expect(shopper.problems).toEqual([])
    await shopper.close()
  },
  120_000,
)
