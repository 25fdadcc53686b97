/**
 * `npm run screenshots`: a picture of every page, on a phone and a desktop, light and dark, from a real stack, with a page that
 * shows them all (.local/screenshots/README.md). The six pictures of the repository's README are renewed in docs/screenshots.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { HINDI_SCENES, SCENES, type Scene } from './pages/scenes.ts'
import { smallerPng } from './pages/smaller-png.ts'
import { inStudio, type Studio } from './pages/set.ts'
import { DEVICES, type Device } from './support/browser.ts'

const FOLDER = join(import.meta.dirname, '../.local/screenshots')
const IN_README = join(import.meta.dirname, '../docs/screenshots')
const SCHEMES = ['light', 'dark'] as const

await inStudio(async (studio) => {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const device of DEVICES) {
    for (const scene of SCENES) await take(studio, scene, { device, language: 'en', schemes: SCHEMES })
  }
  for (const scene of HINDI_SCENES) await take(studio, scene, { device: 'phone', language: 'hi', schemes: ['light'] })
})
writeFileSync(join(FOLDER, 'README.md'), gallery())
for (const file of readdirSync(IN_README)) copyFileSync(join(FOLDER, file), join(IN_README, file))
console.log(`${readdirSync(FOLDER).length - 1} pictures and a page of them: ${join(FOLDER, 'README.md')}`)

interface Shot {
  readonly device: Device
  readonly language: 'en' | 'hi'
  readonly schemes: readonly ('light' | 'dark')[]
}

async function take({ browsers, props }: Studio, scene: Scene, { device, language, schemes }: Shot): Promise<void> {
  const shopper = await browsers.shopper(device, { deviceScaleFactor: 1, colorScheme: 'light' })
  try {
    const page = await scene.play({ ...props, shopper, language })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await picture(page, fileOf(scene, device, language === 'hi' ? 'hindi' : colorScheme))
    }
  } finally {
    await shopper.leave()
  }
}

async function picture(page: Page, file: string): Promise<void> {
  const png = await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' })
  writeFileSync(join(FOLDER, file), smallerPng(png))
  console.log(file)
}

function fileOf({ name }: Scene, device: Device, look: string): string {
  return `${name}-${device}-${look}.png`
}

function gallery(): string {
  const image = (scene: Scene, device: Device, look: string): string =>
    `<img src="${fileOf(scene, device, look)}" alt="${scene.title}, ${device}, ${look}" width="${device === 'phone' ? 195 : 420}">`
  const rows = SCENES.flatMap((scene) => [
    `## ${scene.title}`,
    '',
    DEVICES.flatMap((device) => SCHEMES.map((scheme) => image(scene, device, scheme))).join('\n'),
    '',
  ])
  const hindi = HINDI_SCENES.map((scene) => image(scene, 'phone', 'hindi')).join('\n')
  const about = 'Every page that a shopper sees, made by `npm run screenshots` from a running stack.'
  return ['# Screenshots', '', about, '', ...rows, '## In Hindi', '', hindi, ''].join('\n')
}
