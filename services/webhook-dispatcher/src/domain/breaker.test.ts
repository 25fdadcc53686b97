import fc from 'fast-check'
import {
  admit,
  beginProbe,
  closedBreaker,
  dropProbe,
  isOutage,
  isWell,
  withResult,
  type Breaker,
  type BreakerRules,
} from './breaker.ts'

const rules: BreakerRules = {
  window: 10,
  minResults: 5,
  failureShare: 0.8,
  forgetAfterMs: 60_000,
  firstOpenMs: 5000,
  maxOpenMs: 60_000,
  jitter: 0.2,
  fullPlaces: 4,
}

/** After these results, one every millisecond. */
function after(results: string, breaker: Breaker = closedBreaker(rules), nowMs = 0): Breaker {
  return Array.from(results).reduce(
    (before, mark, index) => withResult(before, { failed: mark === 'x', probe: false, nowMs: nowMs + index, random: 0 }, rules),
    breaker,
  )
}

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
] as const)('a window of results %s leaves it %s', (results, status) => {
  expect(after(results).status).toBe(status)
})

test('failures with a silence between them do not count together', () => {
  expect(after('x', after('xxxx'), 60_004).status).toBe('closed')
  expect(after('x', after('xxxx'), 60_003).status).toBe('open')
})

test('open: everybody waits until its time has come, then one probe goes', () => {
  const open = after('xxxxx')
  expect(admit(open, 5003, rules)).toEqual({ kind: 'wait', waitMs: 1 })
  expect(admit(open, 5004, rules)).toEqual({ kind: 'probe' })
  expect(admit(dropProbe(beginProbe(open, 5004), 5004), 5004, rules)).toEqual({ kind: 'probe' })
})

test('a probe that may be answered any moment is waited for shortly; one that hangs, as if it had failed', () => {
  const probing = beginProbe(after('xxxxx'), 5004)
  expect(admit(probing, 7003, rules)).toEqual({ kind: 'wait', waitMs: 5000 })
  expect(admit(probing, 7004, rules)).toEqual({ kind: 'wait', waitMs: 10_000 })
})

test('each failed probe doubles the time up to its bound; chance only shortens it', () => {
  let breaker = after('xxxxx')
  const [times, waits]: [number[], number[]] = [[], []]
  for (let probes = 0; probes < 6; probes++) {
    breaker = withResult(beginProbe(breaker, 0), { failed: true, probe: true, nowMs: 0, random: 0 }, rules)
    const told = admit(beginProbe(breaker, 0), 2000, rules)
    times.push(breaker.status === 'open' ? breaker.untilMs : 0)
    waits.push(told.kind === 'wait' ? told.waitMs : 0)
  }
  expect(times).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  // Who comes while the next probe hangs waits as if it failed.
  expect(waits).toEqual([...times.slice(1), 60_000])
  const lucky = withResult(beginProbe(breaker, 0), { failed: true, probe: true, nowMs: 0, random: 1 }, rules)
  expect(lucky).toMatchObject({ status: 'open', untilMs: 48_000 })
})

test('a probe that succeeds closes it: one place first, one more with each success, and then nothing is remembered', () => {
  let breaker = withResult(beginProbe(after('xxxxx'), 0), { failed: false, probe: true, nowMs: 1, random: 0 }, rules)
  const places: number[] = []
  for (let successes = 0; successes < 5; successes++) {
    const admission = admit(breaker, 1, rules)
    places.push(admission.kind === 'go' ? admission.places : 0)
    breaker = after('o', breaker, 1)
  }
  expect(places).toEqual([1, 2, 3, 4, 4])
  expect(isWell(breaker, rules)).toBe(true)
  expect(after('xxxxx', breaker)).toMatchObject({ status: 'open', untilMs: 5004 })
})

test('an endpoint that answers its probes and nothing else stays away for longer each time', () => {
  const recovering = withResult(beginProbe(after('xxxxx'), 0), { failed: false, probe: true, nowMs: 1, random: 0 }, rules)
  expect(after('xxxxx', recovering)).toMatchObject({ status: 'open', untilMs: 4 + 10_000 })
})

test('what was on its way when it opened changes nothing, success or not', () => {
  const open = after('xxxxx')
  for (const breaker of [open, beginProbe(open, 5004)]) for (const late of ['x', 'o']) expect(after(late, breaker)).toBe(breaker)
})

const outcomes = fc.array(fc.record({ failed: fc.boolean(), dropped: fc.boolean(), pauseMs: fc.nat(90_000) }), { maxLength: 60 })

test('whatever happens, at most one probe is on its way, no wait is longer than the longest, and it can always come back', () => {
  fc.assert(
    fc.property(outcomes, fc.double({ min: 0, max: 1, noNaN: true }), (steps, random) => {
      let breaker: Breaker = closedBreaker(rules)
      let nowMs = 0
      for (const { failed, dropped, pauseMs } of steps) {
        nowMs += pauseMs
        const admission = admit(breaker, nowMs, rules)
        if (admission.kind === 'wait') {
          expect(admission.waitMs).toBeLessThanOrEqual(rules.maxOpenMs)
          continue
        }
        const probe = admission.kind === 'probe'
        if (probe) breaker = beginProbe(breaker, nowMs)
        if (probe) expect(admit(breaker, nowMs, rules).kind).toBe('wait')
        if (!dropped) breaker = withResult(breaker, { failed, probe, nowMs, random }, rules)
        else if (probe) breaker = dropProbe(breaker, nowMs)
      }
      nowMs += rules.maxOpenMs
      if (breaker.status === 'half_open') breaker = dropProbe(breaker, nowMs)
      if (admit(breaker, nowMs, rules).kind === 'probe') {
        breaker = withResult(beginProbe(breaker, nowMs), { failed: false, probe: true, nowMs, random }, rules)
      }
      expect(isWell(after('o'.repeat(rules.window), breaker, nowMs), rules)).toBe(true)
    }),
  )
})

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
  expect(isOutage({ statusCode, error })).toBe(expected)
})
