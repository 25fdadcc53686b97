/**
 * `npm run read-aloud`: each page as Chromium hands it to a screen reader, in reading order; and what its live regions say when
 * the payment changes while the page is open. With a name, that page alone.
 */
import { inWords, spokenOn } from './pages/accessibility-tree.ts'
import { SCENES } from './pages/catalogue.ts'
import { inStudio } from './pages/environment.ts'

const LIVE =
  "[...document.querySelectorAll('[aria-live=polite], [role=status], [role=alert]')].map((one) => one.textContent.trim()).filter(Boolean)"
const [only] = process.argv.slice(2)

await inStudio(async ({ browsers, props }) => {
  for (const scene of SCENES.filter(({ name }) => only === undefined || name === only)) {
    const shopper = await browsers.shopper('phone')
    const page = await scene.play({ ...props, shopper, language: 'en' })
    const lang = await page.evaluate('document.documentElement.lang')
    console.log(`\n=== ${scene.name}: "${await page.title()}", ${String(lang)}`)
    const spoken = await spokenOn(page)
    // A text is said with the element that is named by it.
    const lines = spoken.filter(({ role, name }, index) => role !== 'StaticText' || spoken[index - 1]?.name !== name)
    for (const line of lines) console.log(`  ${inWords(line)}`)
    console.log(`  live: ${JSON.stringify(await page.evaluate(LIVE))}`)
    await shopper.close()
  }
})
