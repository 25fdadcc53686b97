import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Unavailable } from '@gateway/contracts'
import { statusOf, toProblem } from '@gateway/service-kit/http'
import { PUBLIC_PROBLEM_CODES } from './problem-codes.ts'

const ROOT = join(import.meta.dirname, '../../../..')
/** Codes of operators' APIs, of calls between services, and of the hosted page: no answer to a merchant has them. */
const OTHER_CODES = [
  'attempt_not_allowed',
  'attempt_not_found',
  'audit_not_configured',
  'difference_not_found',
  'difference_not_open',
  'idempotency_conflict',
  'merchant_not_found',
  'not_a_link',
  'settlement_file_not_found',
  'too_many_pages',
  'unauthorized',
  'webhooks_unavailable',
]
const RAISED = [
  /new (?:Refused|Unavailable)(?:<[^>]*>)?\(\s*'(\w+)'/gu,
  /\bproblem\(\d+, '(\w+)'/gu,
  /unavailable: \{\s*code: '(\w+)'/gu,
  /readonly code = '([a-z_]+)'/gu,
]

const SOURCES = globSync(['services/*/src/**/*.ts', 'packages/{contracts,messaging,outbox,service-kit}/src/**/*.ts'], {
  cwd: ROOT,
})
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))

test('every code that a service raises is public, or known not to be', () => {
  const raised = SOURCES.flatMap((text) => RAISED.flatMap((pattern) => [...text.matchAll(pattern)].map(([, code = '']) => code)))
  expect(raised.length).toBeGreaterThan(50)
  const known = new Set<string>([...PUBLIC_PROBLEM_CODES, ...OTHER_CODES])
  expect([...new Set(raised)].filter((code) => !known.has(code)).toSorted()).toEqual([])
})

test('each code is documented with the status that it comes with', () => {
  const sent = PUBLIC_PROBLEM_CODES.map((code) => [code, toProblem(new Unavailable(code, 'why')).status])
  expect(sent).toEqual(PUBLIC_PROBLEM_CODES.map((code) => [code, statusOf(code)]))
  // Refusals of requests that no route sees name their status themselves.
  const named = SOURCES.flatMap((text) => [...text.matchAll(/\bproblem\((\d+), '(\w+)'/gu)])
  expect(named.map(([, , code]) => code)).toEqual(
    expect.arrayContaining(['request_timeout', 'expectation_failed', 'headers_too_large']),
  )
  for (const [, status, code = ''] of named) expect([code, statusOf(code)]).toEqual([code, Number(status)])
})
