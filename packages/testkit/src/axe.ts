import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The part of a browser page that is used here. */
interface Evaluating {
  evaluate(script: string): Promise<unknown>
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const RUN = `axe.run({ runOnly: { type: 'tag', values: ${JSON.stringify(TAGS)} } })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`

/** What axe finds by the rules of WCAG 2.2 A and AA and its best practices: each rule's name with its elements. */
export async function axeViolations(page: Evaluating): Promise<string[]> {
  await page.evaluate(`${AXE}; undefined`)
  const found = await page.evaluate(RUN)
  if (!Array.isArray(found)) throw new Error('axe did not answer with a list')
  return found.map(String)
}
