import type { Page } from 'playwright-core'

/** What a screen reader is given of one element, in reading order. */
export interface Spoken {
  readonly role: string
  readonly name: string
  readonly description: string
  /** States that are said with it, such as `required` or `invalid`. */
  readonly states: readonly string[]
}

/** Roles that carry layout and no meaning of their own; their text is a node of its own. */
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

/** Chromium's own accessibility tree (DevTools protocol, Accessibility.getFullAXTree), as assistive technology is given it. */
export async function spokenOn(page: Page): Promise<Spoken[]> {
  const session = await page.context().newCDPSession(page)
  await session.send('Accessibility.enable')
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const spoken: Spoken[] = []
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
    if (!node.ignored && !SILENT.has(role)) {
      spoken.push({ role, name, description: String(node.description?.value ?? ''), states })
    }
    for (const child of node.childIds ?? []) visit(child)
  }
  const root = nodes.find(({ parentId }) => parentId === undefined)
  if (root) visit(root.nodeId)
  return spoken
}

/** A line of it: `textbox "Card number" (required) This card number is not right`. */
export function inWords({ role, name, description, states }: Spoken): string {
  return [role, name && `"${name}"`, states.length > 0 && `(${states.join(', ')})`, description].filter(Boolean).join(' ')
}
