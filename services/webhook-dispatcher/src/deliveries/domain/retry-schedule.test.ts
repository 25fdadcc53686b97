import fc from 'fast-check'
import { nextDelayMs } from './retry-schedule.ts'

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
