/**
 * `npm run read-aloud`: each page as Chromium presents it to a screen reader, in reading order, and the text of its live regions.
 * With a page's name as the argument, only that page.
 */
import { inWords, spokenOn } from './pages/accessibility-tree.ts'
import { PAGES } from './pages/catalogue.ts'
import { withPageEnvironment } from './pages/environment.ts'

const LIVE =
  "[...document.querySelectorAll('[aria-live=polite], [role=status], [role=alert]')].map((one) => one.textContent.trim()).filter(Boolean)"
const [only] = process.argv.slice(2)

await withPageEnvironment(async ({ browsers, shared }) => {
  for (const entry of PAGES.filter(({ name }) => only === undefined || name === only)) {
    const shopper = await browsers.shopper('phone')
    const page = await entry.show({ ...shared, shopper, language: 'en' })
    const lang = await page.evaluate('document.documentElement.lang')
    console.log(`\n=== ${entry.name}: "${await page.title()}", ${String(lang)}`)
    const spoken = await spokenOn(page)
    // A text that names an element is spoken with that element.
    const lines = spoken.filter(({ role, name }, index) => role !== 'StaticText' || spoken[index - 1]?.name !== name)
    for (const line of lines) console.log(`  ${inWords(line)}`)
    console.log(`  live: ${JSON.stringify(await page.evaluate(LIVE))}`)
    await shopper.close()
  }
})
