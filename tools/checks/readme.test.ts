import { readFileSync } from 'node:fs'

// Proves: webhooks/merchant-rules-are-documented
test('README says how merchants receive webhooks', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  for (const rule of [/any order/u, /deduplicate by `webhook-id`/u, /ignore a lower `webhook-sequence`/u, /confirm by search/u])
    expect(readme).toMatch(rule)
})
