import type { Browser } from 'playwright-core'
import { startBrowser } from './browser.ts'
import { startGallery, type Gallery } from './gallery.ts'

/** The gallery and a browser for all tests of the file that calls this; what the browser sends is forgotten before each test. */
export function galleryInBrowser(): { readonly gallery: Gallery; readonly browser: Browser } {
  let started: { gallery: Gallery; browser: Browser } | undefined
  const running = () => {
    if (!started) throw new Error('the gallery starts before the first test')
    return started
  }
  beforeAll(async () => {
    started = { gallery: await startGallery(), browser: await startBrowser() }
  }, 300_000)
  afterAll(async () => {
    await started?.browser.close()
    await started?.gallery.stop()
  })
  beforeEach(() => void running().gallery.sent.splice(0))
  return {
    get gallery() {
      return running().gallery
    },
    get browser() {
      return running().browser
    },
  }
}
