import fc from 'fast-check'
import { CHECKS } from '../src/checks/all.ts'
import type { Result } from '../src/judge.ts'
import { htmlOf } from '../src/report/html.ts'
import { junitOf } from '../src/report/junit.ts'
import { createReport, escapeMarkup, lineOf, type CheckReport, type Report } from '../src/report/report.ts'
import { createTranscript, type Entry } from '../src/transcript.ts'

const EVIL = `<script>alert('1')</script>&"\u0000\u001B[2J`
const SECRET = 'whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC0xMjM0NTY3ODkw'

/** Characters that XML 1.0 has no way to write. */
const controls = (text: string): string[] => text.match(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu) ?? []

const entry = (changes: Partial<Entry> = {}): Entry => ({
  at: '2026-01-31T00:00:00.000Z',
  kind: 'webhook',
  note: '',
  request: { line: 'POST /hook', headers: {}, body: '' },
  response: { line: '200', headers: {}, body: '' },
  ...changes,
})

function reportWith(results: readonly Result[], transcript: readonly Entry[] = [], reason = 'because'): Report {
  const checks = CHECKS.slice(0, results.length).map(({ check, name, title, clause }, index): CheckReport => {
    const result = results[index] ?? 'pass'
    return { check, name, title, clause, result, reason: result === 'pass' ? '' : reason, duration_ms: 1500, transcript }
  })
  return createReport({
    started_at: '2026-01-31T00:00:00.000Z',
    ended_at: '2026-01-31T00:00:30.000Z',
    gateway: 'https://sandbox.example',
    receiver: 'http://localhost:3000/hook',
    probe: 'http://localhost:3000/',
    checks,
  })
}

test('certified: every check passed, warnings included; skipped and not observed ones are no pass', () => {
  expect(reportWith(['pass', 'warn']).certified).toBe(true)
  for (const result of ['fail', 'skipped', 'not_observed'] as const) expect(reportWith(['pass', result]).certified).toBe(false)
  expect(reportWith([]).certified).toBe(false)
  expect(reportWith(['pass', 'pass', 'fail', 'warn', 'skipped', 'not_observed']).summary).toEqual({
    pass: 2,
    fail: 1,
    warn: 1,
    skipped: 1,
    not_observed: 1,
  })
})

test('the numbers of the checks are 1 to 18, and their names are unique', () => {
  expect(CHECKS.map(({ check }) => check)).toEqual(Array.from({ length: 18 }, (_, index) => index + 1))
  expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(18)
})

// Proves: certify/report-has-no-scripts
test('the page has no script, and what a receiver answered stays text', () => {
  const evil = entry({ note: EVIL, response: { line: EVIL, headers: { 'x-y': EVIL }, body: EVIL } })
  const page = htmlOf(reportWith(['fail'], [evil], EVIL))
  expect(page).not.toMatch(/<script|javascript:|\son\w+=|<img|<iframe|src=|href=/iu)
  expect(page).toContain('&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;')
  expect(controls(page)).toEqual([])
  expect(page).toContain("default-src 'none'")
})

test('JUnit counts failures and skipped ones, and is well-formed whatever a receiver answers', () => {
  const xml = junitOf(
    reportWith(['pass', 'fail', 'warn', 'not_observed'], [entry({ response: { line: EVIL, headers: {}, body: '' } })], EVIL),
  )
  expect(xml).toContain('tests="4" failures="1" skipped="1" errors="0" time="30.000"')
  expect(xml.match(/<testcase /gu)).toHaveLength(4)
  expect(xml).not.toContain('<script>')
  expect(controls(xml)).toEqual([])
  expect(xml).toContain('<skipped message=')
})

test('escaped text has no markup and no character that XML lacks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const escaped = escapeMarkup(text)
      expect(escaped.replaceAll(/&(?:amp|lt|gt|quot|#39);/gu, '')).not.toMatch(/[&<>"']|\p{Cs}/u)
      expect(controls(escaped)).toEqual([])
    }),
  )
})

test('a line for the terminal has the result, the number, the title and the reason', () => {
  const [check] = reportWith(['fail']).checks
  expect(check && lineOf(check)).toMatch(/^fail {10}1 {2}A genuine webhook .*\n {17}because$/u)
})

// Proves: certify/transcripts-are-redacted
test('a transcript shows no secret, no token, no signature and no personal data', () => {
  const customer = { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
  const checkout = { url: 'https://gateway.example/checkout/T1MAC', intent: 'upi://pay?pa=x' }
  const signature = 'v1,c2lnbmF0dXJl v1,b3RoZXI='
  const transcript = createTranscript([SECRET])
  transcript.add(
    entry({
      request: {
        line: 'POST /hook',
        headers: { 'webhook-signature': signature, authorization: 'Bearer token-1', cookie: 'session=1', 'Webhook-Id': 'evt_1' },
        body: JSON.stringify({
          order_id: 'ORD-1',
          customer,
          nested: [{ checkout, token: 'token-1', payee: { vpa: 'asha@bank' } }],
        }),
      },
      response: { line: '500', headers: { 'set-cookie': 'session=1' }, body: `error: WEBHOOK_SECRET=${SECRET}` },
    }),
  )
  const text = JSON.stringify(transcript.entries())
  for (const hidden of ['Asha', 'asha@', '9876543210', 'T1MAC', 'upi:', 'c2lnbmF0dXJl', 'token-1', 'session', SECRET])
    expect(text).not.toContain(hidden)
  for (const shown of ['ORD-1', 'evt_1', 'v1,… v1,…', 'WEBHOOK_SECRET=[redacted]']) expect(text).toContain(shown)
})

test('a transcript is bounded and in the order of time; JSON without personal data keeps its bytes', () => {
  const transcript = createTranscript([])
  for (let second = 59; second >= 0; second--)
    for (const body of ['{ "status" : "Success" }', 'x'.repeat(100_000)])
      transcript.add(
        entry({ at: `2026-01-31T00:00:${String(second).padStart(2, '0')}.000Z`, request: { line: '', headers: {}, body } }),
      )
  const entries = transcript.entries()
  expect(entries).toHaveLength(100)
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted())
  expect(entries.some(({ request }) => request.body === '{ "status" : "Success" }')).toBe(true)
  expect(Math.max(...entries.map(({ request }) => request.body.length))).toBeLessThan(2100)
})
