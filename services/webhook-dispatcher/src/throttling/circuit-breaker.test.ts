import fc from 'fast-check'
import {
  askBreaker,
  beginProbe,
  closedBreaker,
  dropProbe,
  isOutage,
  isHealthy,
  withResult,
  type Breaker,
  type BreakerRules,
} from './circuit-breaker.ts'

const rules: BreakerRules = {
  window: 10,
  minResults: 5,
  failureShare: 0.8,
  forgetAfterMs: 60_000,
  firstOpenMs: 5000,
  maxOpenMs: 60_000,
  jitter: 0.2,
  fullSlots: 4,
}

/** The breaker after these results (x: failure, o: success), one per millisecond. */
function after(results: string, breaker: Breaker = closedBreaker(rules), nowMs = 0): Breaker {
  return Array.from(results).reduce(
    (before, mark, index) => withResult(before, { failed: mark === 'x', probe: false, nowMs: nowMs + index, random: 0 }, rules),
    breaker,
  )
}

// Proves: webhooks/circuit-breaker-per-endpoint
test.each([
  ['xxxx', 'closed'],
  ['xxxxx', 'open'],
  ['xxxxo', 'closed'],
  ['xxxxox', 'open'],
  ['xxoxo', 'closed'],
  ['xxoxx', 'open'],
  ['xoxoxoxoxoxoxoxo', 'closed'],
  ['ooooooooooooooooxxxxx', 'open'],
  ['xoooooxxxxx', 'closed'],
] as const)('after the results %s the breaker is %s', (results, status) => {
  expect(after(results).status).toBe(status)
})

test('failures with a long silence between them do not count together', () => {
  expect(after('x', after('xxxx'), 60_004).status).toBe('closed')
  expect(after('x', after('xxxx'), 60_003).status).toBe('open')
})

test('open: every caller is denied until the open time is over, then one probe is allowed', () => {
  const open = after('xxxxx')
  expect(askBreaker(open, 5003, rules)).toEqual({ kind: 'deny', retryAfterMs: 1 })
  expect(askBreaker(open, 5004, rules)).toEqual({ kind: 'probe' })
  expect(askBreaker(dropProbe(beginProbe(open, 5004), 5004), 5004, rules)).toEqual({ kind: 'probe' })
})

test('half-open: a caller waits briefly for a recent probe, and as if it had failed for one that hangs', () => {
  const probing = beginProbe(after('xxxxx'), 5004)
  expect(askBreaker(probing, 7003, rules)).toEqual({ kind: 'deny', retryAfterMs: 5000 })
  expect(askBreaker(probing, 7004, rules)).toEqual({ kind: 'deny', retryAfterMs: 10_000 })
})

test('each failed probe doubles the open time up to its bound; jitter only shortens it', () => {
  let breaker = after('xxxxx')
  const [times, waits]: [number[], number[]] = [[], []]
  for (let probes = 0; probes < 6; probes++) {
    breaker = withResult(beginProbe(breaker, 0), { failed: true, probe: true, nowMs: 0, random: 0 }, rules)
    const told = askBreaker(beginProbe(breaker, 0), 2000, rules)
    times.push(breaker.status === 'open' ? breaker.untilMs : 0)
    waits.push(told.kind === 'deny' ? told.retryAfterMs : 0)
  }
  expect(times).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  // While the next probe hangs, the wait is as long as if it had failed.
  expect(waits).toEqual([...times.slice(1), 60_000])
  const lucky = withResult(beginProbe(breaker, 0), { failed: true, probe: true, nowMs: 0, random: 1 }, rules)
  expect(lucky).toMatchObject({ status: 'open', untilMs: 48_000 })
})

test('a successful probe closes the breaker: one slot first, one more with each success, then nothing is remembered', () => {
  let breaker = withResult(beginProbe(after('xxxxx'), 0), { failed: false, probe: true, nowMs: 1, random: 0 }, rules)
  const slots: number[] = []
  for (let successes = 0; successes < 5; successes++) {
    const answer = askBreaker(breaker, 1, rules)
    slots.push(answer.kind === 'allow' ? answer.slots : 0)
    breaker = after('o', breaker, 1)
  }
  expect(slots).toEqual([1, 2, 3, 4, 4])
  expect(isHealthy(breaker, rules)).toBe(true)
  expect(after('xxxxx', breaker)).toMatchObject({ status: 'open', untilMs: 5004 })
})

test('for an endpoint that answers only its probes, the open time grows each time', () => {
  const recovering = withResult(beginProbe(after('xxxxx'), 0), { failed: false, probe: true, nowMs: 1, random: 0 }, rules)
  expect(after('xxxxx', recovering)).toMatchObject({ status: 'open', untilMs: 4 + 10_000 })
})

test('results of exchanges that began before it opened change nothing, success or failure', () => {
  const open = after('xxxxx')
  for (const breaker of [open, beginProbe(open, 5004)]) for (const late of ['x', 'o']) expect(after(late, breaker)).toBe(breaker)
})

const outcomes = fc.array(fc.record({ failed: fc.boolean(), dropped: fc.boolean(), pauseMs: fc.nat(90_000) }), { maxLength: 60 })

// Proves: webhooks/circuit-breaker-per-endpoint
test('in any sequence at most one probe is in flight, no wait exceeds the maximum, and the endpoint can always recover', () => {
  fc.assert(
    fc.property(outcomes, fc.double({ min: 0, max: 1, noNaN: true }), (steps, random) => {
      let breaker: Breaker = closedBreaker(rules)
      let nowMs = 0
      for (const { failed, dropped, pauseMs } of steps) {
        nowMs += pauseMs
        const answer = askBreaker(breaker, nowMs, rules)
        if (answer.kind === 'deny') {
          expect(answer.retryAfterMs).toBeLessThanOrEqual(rules.maxOpenMs)
          continue
        }
        const probe = answer.kind === 'probe'
        if (probe) breaker = beginProbe(breaker, nowMs)
        if (probe) expect(askBreaker(breaker, nowMs, rules).kind).toBe('deny')
        if (!dropped) breaker = withResult(breaker, { failed, probe, nowMs, random }, rules)
        else if (probe) breaker = dropProbe(breaker, nowMs)
      }
      nowMs += rules.maxOpenMs
      if (breaker.status === 'half_open') breaker = dropProbe(breaker, nowMs)
      if (askBreaker(breaker, nowMs, rules).kind === 'probe') {
        breaker = withResult(beginProbe(breaker, nowMs), { failed: false, probe: true, nowMs, random }, rules)
      }
      expect(isHealthy(after('o'.repeat(rules.window), breaker, nowMs), rules)).toBe(true)
    }),
  )
})

// Proves: webhooks/circuit-breaker-per-endpoint
test.each([
  [200, null, false],
  [301, null, false],
  [400, null, false],
  [404, null, false],
  [410, null, false],
  [429, null, true],
  [500, null, true],
  [503, null, true],
  [null, 'timeout', true],
  [null, 'connection_refused', true],
  [null, 'name_not_resolved', true],
  [null, 'certificate_invalid', true],
  [200, 'timeout', true],
  [200, 'response_invalid', true],
] as const)('status %s with error %s is an outage: %s', (statusCode, error, expected) => {
  expect(isOutage({ status_code: statusCode, error })).toBe(expected)
})
