/** A shopper who uses only the keyboard. */
import type { Page } from 'playwright-core'

const MAX_TABS = 60
/** The accessible name of the focused element, approximated: label, `aria-label` or text. */
const FOCUSED = `(() => {
  const element = document.activeElement
  const label = element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent
  return (label ?? '').replace(/\\s+/gu, ' ').trim()
})()`

/** Presses Tab until the element with this name has the focus. Throws when no element of this name is reached. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    await page.keyboard.press('Tab')
    const focused = String(await page.evaluate(FOCUSED))
    if (name.test(focused)) return
    passed.push(focused.slice(0, 30))
  }
  throw new Error(`the keyboard never reached ${String(name)}; it passed ${passed.join(' · ')}`)
}

export async function tabAndPress(page: Page, name: RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

export async function tabAndType(page: Page, name: RegExp, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.type(text)
}
