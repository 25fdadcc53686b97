import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'

// Proves: webhooks/merchant-rules-are-documented
test('README says how merchants receive webhooks', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  for (const rule of [/any order/u, /deduplicate by `webhook-id`/u, /ignore a lower `webhook-sequence`/u, /confirm by search/u])
    expect(readme).toMatch(rule)
})

// Proves: local/no-stranger-s-package
test('no page has readers run a package of ours from a registry, or export a variable that detaches the simulator', () => {
  const pages = globSync(['*.md', '{docs,infra,examples,packages,services,tools}/**/*.md'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  })
  expect(pages.length).toBeGreaterThan(40)
  const wrong =
    /\bnpx (?:--?\S+ )*(?:pgw|@gateway\/)|npm (?:i|install|add) (?:--?\S+ )*@gateway\/|export NETWORK_URL|\$NETWORK_URL/u
  const found = pages.filter((page) => wrong.test(readFileSync(join(ROOT, page), 'utf8')))
  // The design page says why.
  expect(found).toEqual(['docs/design-sdk-cli.md'])
})
