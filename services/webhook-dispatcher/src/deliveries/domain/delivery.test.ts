import type { AttemptError } from '@gateway/contracts'
import fc from 'fast-check'
import { isAcknowledged } from '../../sending/index.ts'
import { decide, nextDelayMs, type Attempt } from './delivery.ts'

const now = new Date('2026-01-01T00:00:00Z')
const made = (number: number, statusCode: number | null, error: AttemptError | null = null): Attempt => ({
  number,
  at: now,
  duration_ms: 5,
  status_code: statusCode,
  error,
  address: null,
  response_excerpt: null,
})

// Proves: spec/8-webhook-retries-limited-number, webhooks/default-retry-schedule
test('with the default schedule there are eight attempts, then the delivery is dead', () => {
  const schedule = [10_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 21_600_000]
  for (const [index, delayMs] of schedule.entries()) {
    expect(decide(made(index + 1, 500), 0, schedule, now)).toEqual({
      kind: 'retry',
      delayMs,
      state: { status: 'retrying', next_attempt_at: new Date(now.getTime() + delayMs) },
    })
  }
  expect(decide(made(8, 500), 0, schedule, now)).toEqual({ kind: 'dead', state: { status: 'dead', reason: 'exhausted' } })
})

// Proves: spec/4-3-http-200-acknowledges, spec/7-any-reply-other-than-200, webhooks/only-200-acknowledges
test.each([
  [200, null, true],
  [201, null, false],
  [204, null, false],
  [302, null, false],
  [404, null, false],
  [500, null, false],
  [null, 'timeout', false],
  [200, 'timeout', false],
] as const)('status %s with error %s acknowledges: %s', (statusCode, error, expected) => {
  expect(isAcknowledged({ status_code: statusCode, error })).toBe(expected)
})

// Proves: spec/6-1-3-retries-limited-number
test('with any answers a round has at most one attempt more than delays, and ends once', () => {
  const schedules = fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 10 })
  const answers = fc.infiniteStream(fc.constantFrom(200, 201, 302, 500, null))
  fc.assert(
    fc.property(schedules, answers, fc.nat({ max: 100 }), (schedule, codes, roundStart) => {
      let number = roundStart
      for (const code of codes) {
        number += 1
        const decision = decide(made(number, code), roundStart, schedule, now)
        expect(number - roundStart).toBeLessThanOrEqual(schedule.length + 1)
        if (decision.kind === 'retry') {
          expect(code).not.toBe(200)
          expect(decision.state.next_attempt_at.getTime()).toBe(now.getTime() + decision.delayMs)
          continue
        }
        expect(decision.kind).toBe(code === 200 ? 'delivered' : 'dead')
        break
      }
    }),
  )
})

test('after Retry-After the next attempt waits for the next delay of the schedule that is long enough', () => {
  const answer = { ...made(1, 503), retry_after_ms: 3000 }
  expect(decide(answer, 0, [1000, 5000], now)).toEqual({
    kind: 'retry',
    delayMs: 5000,
    state: { status: 'retrying', next_attempt_at: new Date(now.getTime() + 5000) },
  })
  expect(decide({ ...answer, number: 3 }, 0, [1000, 5000], now).kind).toBe('dead')
  expect(decide({ ...made(1, 200), retry_after_ms: 3000 }, 0, [1000, 5000], now).kind).toBe('delivered')
})

const SCHEDULE = [10_000, 60_000, 300_000]

test.each([
  [1, undefined, 10_000],
  [1, 0, 10_000],
  [1, 10_000, 10_000],
  [1, 10_001, 60_000],
  [1, 60_000, 60_000],
  [1, 61_000, 300_000],
  [1, 86_400_000, 300_000],
  [2, 5_000, 60_000],
  [3, 1, 300_000],
  [3, 86_400_000, 300_000],
  [4, 10_000, undefined],
])('after attempt %s, asked for %s ms, the wait is %s ms', (attempt, retryAfterMs, expectedMs) => {
  expect(nextDelayMs(SCHEDULE, attempt, retryAfterMs)).toBe(expectedMs)
})

test('an attempt past the schedule has no delay', () => {
  expect(nextDelayMs([1000], 1)).toBe(1000)
  expect(nextDelayMs([1000], 2)).toBeUndefined()
  expect(nextDelayMs([], 1)).toBeUndefined()
})

const schedules = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 20 })
const asked = fc.nat({ max: 200_000 })

// Proves: webhooks/retry-after-is-rounded-up
test('Retry-After is rounded up to the nearest delay that is long enough: not below the due one, not above the longest', () => {
  fc.assert(
    fc.property(schedules, fc.nat({ max: 19 }), asked, (schedule, index, retryAfterMs) => {
      const dueMs = schedule[index]
      const delayMs = nextDelayMs(schedule, index + 1, retryAfterMs)
      if (dueMs === undefined || delayMs === undefined) {
        expect(delayMs).toBe(dueMs)
        return
      }
      expect(schedule).toContain(delayMs)
      expect(delayMs).toBeGreaterThanOrEqual(dueMs)
      const wantedMs = Math.max(dueMs, retryAfterMs)
      const longestMs = Math.max(...schedule)
      expect(delayMs).toBeGreaterThanOrEqual(Math.min(wantedMs, longestMs))
      // No delay lies between the requested time and the result.
      expect(schedule.filter((levelMs) => levelMs >= Math.min(wantedMs, longestMs) && levelMs < delayMs)).toEqual([])
    }),
  )
})

// Proves: webhooks/retry-after-adds-no-attempts
test('with any Retry-After there are as many attempts as without it', () => {
  fc.assert(
    fc.property(schedules, fc.array(asked, { minLength: 25, maxLength: 25 }), (schedule, waits) => {
      const delays = waits.map((retryAfterMs, index) => nextDelayMs(schedule, index + 1, retryAfterMs))
      expect(delays.filter((delayMs) => delayMs !== undefined)).toHaveLength(schedule.length)
      expect(delays.indexOf(undefined)).toBe(schedule.length)
    }),
  )
})

test('a longer Retry-After never means a shorter wait', () => {
  fc.assert(
    fc.property(schedules, asked, asked, (schedule, a, b) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)].map((ms) => nextDelayMs(schedule, 1, ms) ?? 0)
      expect(more).toBeGreaterThanOrEqual(less ?? 0)
    }),
  )
})
