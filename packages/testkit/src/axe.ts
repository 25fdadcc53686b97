import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** A page of a browser, as far as it is needed here. */
interface Evaluating {
  evaluate(script: string): Promise<unknown>
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const RUN = `axe.run({ runOnly: { type: 'tag', values: ${JSON.stringify(TAGS)} } })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`

/**
 * What axe finds wrong with a page as it stands: the rules of WCAG 2.2 A and AA and axe's own best practices. Each violation
 * is its rule's name and the elements; an empty list is what a test wants.
 */
export async function axeViolations(page: Evaluating): Promise<string[]> {
  await page.evaluate(`${AXE}; undefined`)
  const found = await page.evaluate(RUN)
  if (!Array.isArray(found)) throw new Error('axe did not answer with a list')
  return found.map(String)
}
