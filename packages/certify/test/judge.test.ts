import fc from 'fast-check'
import {
  acknowledged,
  alive,
  expected,
  failed,
  notObserved,
  passed,
  refused,
  repeatedAsTheSame,
  searchedFirst,
  waitedOut,
  warned,
  worstOf,
  type Call,
  type Result,
} from '../src/judge.ts'

const answered = (status: number | null) => ({ status, error: status === null ? 'none within 10 s' : null, durationMs: 5 })
const STATUSES = [200, 201, 204, 302, 400, 401, 404, 410, 413, 500, 503, null]

test.each<[string, (status: number | null) => string, Record<string, (number | null)[]>]>([
  ['only 200 acknowledges', (status) => acknowledged(answered(status)).result, { pass: [200] }],
  [
    'a refusal is 4xx; 5xx is a warning; 410 disables the URL',
    (status) => refused(answered(status), 'junk').result,
    { pass: [400, 401, 404, 413], warn: [500, 503] },
  ],
  [
    'any answer but 410 shows a living receiver',
    (status) => alive(answered(status), 'junk').result,
    { pass: [200, 201, 204, 302, 400, 401, 404, 413, 500, 503] },
  ],
])('%s; everything else fails', (_title, judge, wanted) => {
  for (const status of STATUSES) {
    const [result = 'fail'] = Object.entries(wanted).find(([, statuses]) => statuses.includes(status)) ?? []
    expect([status, judge(status)]).toEqual([status, result])
  }
})

test('an effect: how often it was fulfilled, and whether it is still paid', () => {
  const judge = (wanted: 0 | 1, fulfilled: number, state: string) =>
    expected({ orderId: 'ORD-1', fulfilled: wanted }, { fulfilled, state }).result
  expect([judge(1, 1, 'paid'), judge(1, 2, 'paid'), judge(1, 0, 'open'), judge(1, 1, 'Pending')]).toEqual([
    'pass',
    'fail',
    'fail',
    'fail',
  ])
  expect([judge(0, 0, 'open'), judge(0, 0, 'failed'), judge(0, 1, 'paid'), judge(0, 0, 'paid')]).toEqual([
    'pass',
    'pass',
    'fail',
    'fail',
  ])
})

// Proves: certify/without-a-probe-nothing-passes
test('without a probe an effect is not observed, never passed', () => {
  for (const fulfilled of [0, 1] as const)
    expect(expected({ orderId: 'ORD-1', fulfilled }, undefined).result).toBe('not_observed')
})

const call = (changes: Partial<Call>): Call => ({
  token: 1,
  orderId: 'ORD-1',
  status: 201,
  code: null,
  startedAtMs: 0,
  endedAtMs: 0,
  retryAfterSeconds: null,
  ...changes,
})
const EXPIRED = call({ status: 401, code: 'token_expired', endedAtMs: 10 })
const LIMITED = call({ token: 2, status: 429, code: 'rate_limited', retryAfterSeconds: 2, startedAtMs: 20, endedAtMs: 30 })

test.each<[string, Call[], string]>([
  ['a new token, a pause, a success', [EXPIRED, LIMITED, call({ token: 2, startedAtMs: 2030 })], 'pass'],
  ['the same token again', [EXPIRED, call({ startedAtMs: 20 })], 'fail'],
  ['too early after 429', [EXPIRED, LIMITED, call({ token: 2, startedAtMs: 1500 })], 'fail'],
  ['never repeated', [EXPIRED, LIMITED], 'fail'],
  ['no call at all', [], 'fail'],
])('token_expired and 429: %s', (_title, calls, result) => {
  expect(worstOf(waitedOut(calls, 'create')).result).toBe(result)
})

const LOST = call({ status: null })
test.each<[string, Call[], string]>([
  ['the same order again', [LOST, call({})], 'pass'],
  ['the same order after a failure', [LOST, call({ status: 503 }), call({})], 'pass'],
  ['another order', [LOST, call({ orderId: 'ORD-2' })], 'fail'],
  ['the same, then another order', [LOST, call({}), call({ orderId: 'ORD-2' })], 'fail'],
  ['no repetition', [LOST], 'fail'],
  ['no create', [], 'fail'],
])('a lost answer: %s', (_title, calls, result) => {
  expect(repeatedAsTheSame(calls).result).toBe(result)
})

test('the search must have been answered before the fulfilment', () => {
  expect(searchedFirst(100, 200).result).toBe('pass')
  expect(searchedFirst(200, 100).result).toBe('fail')
  expect(searchedFirst(undefined, 100).result).toBe('fail')
  // `expected` judges whether an order was fulfilled at all.
  expect(searchedFirst(undefined, undefined).result).toBe('pass')
})

test('the worst part of a check decides, in any order, with its reasons', () => {
  const parts = [passed, warned('slow'), notObserved('no probe'), failed('one'), failed('two')]
  fc.assert(
    fc.property(fc.shuffledSubarray(parts), (some) => {
      const { result, reason } = worstOf(some)
      const badness = ['pass', 'skipped', 'warn', 'not_observed', 'fail'] satisfies Result[]
      for (const one of some) expect(badness.indexOf(result)).toBeGreaterThanOrEqual(badness.indexOf(one.result))
      for (const one of some.filter((verdict) => verdict.result === result)) expect(reason).toContain(one.reason)
    }),
  )
})
