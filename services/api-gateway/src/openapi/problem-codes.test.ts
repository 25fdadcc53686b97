import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Unavailable } from '@gateway/contracts'
import { toProblem } from '@gateway/service-kit/http'
import { PUBLIC_PROBLEM_CODES, PUBLIC_PROBLEMS } from './problem-codes.ts'

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

test('every code that a service raises is public, or known not to be', () => {
  const files = globSync(['services/*/src/**/*.ts', 'packages/{contracts,messaging,outbox,service-kit}/src/**/*.ts'], {
    cwd: ROOT,
  })
  const raised = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      return RAISED.flatMap((pattern) => [...text.matchAll(pattern)].map(([, code = '']) => code))
    })
  expect(raised.length).toBeGreaterThan(50)
  const known = new Set<string>([...PUBLIC_PROBLEM_CODES, ...OTHER_CODES])
  expect([...new Set(raised)].filter((code) => !known.has(code)).toSorted()).toEqual([])
})

/** Node's parser refuses these requests before a service sees them. */
const OF_THE_PARSER = { request_timeout: 408, expectation_failed: 417, headers_too_large: 431 }

test('each code is documented with the status that it comes with', () => {
  const statuses = Object.entries(PUBLIC_PROBLEMS).map(([code, { status }]) => [code, status])
  const sent = PUBLIC_PROBLEM_CODES.map((code) => [code, toProblem(new Unavailable(code, 'why')).status])
  expect(Object.fromEntries(statuses)).toEqual({ ...Object.fromEntries(sent), ...OF_THE_PARSER })
})
