/**
 * `npm run screenshots`: pictures of every page, on a phone and a desktop, light and dark, from a running stack, with a gallery of
 * them (.local/screenshots/README.md). It also renews the six pictures of the repository's README in docs/screenshots.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { HINDI_PAGES, PAGES, type CatalogueEntry } from './pages/catalogue.ts'
import { withPageEnvironment, type PageEnvironment } from './pages/open-page.ts'
import { DEVICES, type Device } from './support/browser.ts'

const FOLDER = join(import.meta.dirname, '../.local/screenshots')
const IN_README = join(import.meta.dirname, '../docs/screenshots')
const SCHEMES = ['light', 'dark'] as const

await withPageEnvironment(async (environment) => {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const device of DEVICES) {
    for (const entry of PAGES) await take(environment, entry, { device, language: 'en', schemes: SCHEMES })
  }
  for (const entry of HINDI_PAGES) await take(environment, entry, { device: 'phone', language: 'hi', schemes: ['light'] })
})
writeFileSync(join(FOLDER, 'README.md'), gallery())
for (const file of readdirSync(IN_README)) copyFileSync(join(FOLDER, file), join(IN_README, file))
console.log(`${readdirSync(FOLDER).length - 1} pictures, shown in ${join(FOLDER, 'README.md')}`)

interface Shot {
  readonly device: Device
  readonly language: 'en' | 'hi'
  readonly schemes: readonly ('light' | 'dark')[]
}

async function take(
  { browsers, shared }: PageEnvironment,
  entry: CatalogueEntry,
  { device, language, schemes }: Shot,
): Promise<void> {
  const shopper = await browsers.shopper(device, { deviceScaleFactor: 1, colorScheme: 'light' })
  try {
    const page = await entry.show({ ...shared, shopper, language })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await picture(page, fileOf(entry, device, language === 'hi' ? 'hindi' : colorScheme))
    }
  } finally {
    await shopper.close()
  }
}

async function picture(page: Page, file: string): Promise<void> {
  const png = await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' })
  // Flat areas and text are smallest without filters; the pages have no transparency.
  const smaller = PNG.sync.write(PNG.sync.read(png), { filterType: 0, deflateLevel: 9, colorType: 2 })
  writeFileSync(join(FOLDER, file), smaller)
  console.log(file)
}

function fileOf({ name }: CatalogueEntry, device: Device, look: string): string {
  return `${name}-${device}-${look}.png`
}

function gallery(): string {
  const image = (entry: CatalogueEntry, device: Device, look: string): string =>
    `<img src="${fileOf(entry, device, look)}" alt="${entry.title}, ${device}, ${look}" width="${device === 'phone' ? 195 : 420}">`
  const rows = PAGES.flatMap((entry) => [
    `## ${entry.title}`,
    '',
    DEVICES.flatMap((device) => SCHEMES.map((scheme) => image(entry, device, scheme))).join('\n'),
    '',
  ])
  const hindi = HINDI_PAGES.map((entry) => image(entry, 'phone', 'hindi')).join('\n')
  const about = 'Every page that a shopper sees, made by `npm run screenshots` from a running stack.'
  return ['# Screenshots', '', about, '', ...rows, '## In Hindi', '', hindi, ''].join('\n')
}
