/**
 * `npm run read-aloud`: each page as Chromium presents it to a screen reader, in reading order, and the text of its live regions.
 * With a page's name as the argument, only that page.
 */
import type { Page } from 'playwright-core'
import { PAGES } from './pages/catalogue.ts'
import { withPageEnvironment } from './pages/open-page.ts'

/** Roles for layout only; their text is a separate node. */
const SILENT = new Set([
  'none',
  'generic',
  'InlineTextBox',
  'RootWebArea',
  'ignored',
  'LineBreak',
  'LabelText',
  'paragraph',
  'Section',
])
const STATES = new Set(['invalid', 'required', 'checked', 'expanded', 'focused', 'live', 'disabled'])
const OFF = new Set<unknown>([false, 'false', 'off'])
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
    for (const { words } of lines) console.log(`  ${words}`)
    console.log(`  live: ${JSON.stringify(await page.evaluate(LIVE))}`)
    await shopper.close()
  }
})

/** Chromium's accessibility tree in reading order (DevTools protocol, Accessibility.getFullAXTree), as assistive technology gets it. */
async function spokenOn(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Accessibility.enable')
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  /** `words`: for example `textbox "Card number" (required) This card number is not right`. */
  const spoken: { readonly role: string; readonly name: string; readonly words: string }[] = []
  const visit = (id: string): void => {
    const node = byId.get(id)
    if (!node) return
    const role = String(node.role?.value ?? '')
    const name = String(node.name?.value ?? '').trim()
    const states = (node.properties ?? []).flatMap((property): string[] => {
      const value: unknown = property.value.value
      if (!STATES.has(property.name) || OFF.has(value)) return []
      return [value === true || value === 'true' ? property.name : `${property.name} ${String(value)}`]
    })
    const stated = states.length > 0 && `(${states.join(', ')})`
    const words = [role, name && `"${name}"`, stated, String(node.description?.value ?? '')].filter(Boolean).join(' ')
    if (!node.ignored && !SILENT.has(role)) spoken.push({ role, name, words })
    for (const child of node.childIds ?? []) visit(child)
  }
  const root = nodes.find(({ parentId }) => parentId === undefined)
  if (root) visit(root.nodeId)
  return spoken
}
