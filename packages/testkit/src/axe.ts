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

/**
 * The violations that axe finds in a page, by the rules of WCAG 2.2 A and AA and axe's best practices: each is the name of the
 * rule with its elements. A test expects an empty list.
 */
export async function axeViolations(page: Evaluating): Promise<string[]> {
  await page.evaluate(`${AXE}; undefined`)
  const found = await page.evaluate(RUN)
  if (!Array.isArray(found)) throw new Error('axe did not answer with a list')
  return found.map(String)
}
