import type { AttemptError } from '@gateway/contracts'
import fc from 'fast-check'
import { isAcknowledged } from '../../sending/index.ts'
import { decide, type Attempt } from './delivery.ts'

const now = new Date('2026-01-01T00:00:00Z')
const made = (number: number, statusCode: number | null, error: AttemptError | null = null): Attempt => ({
  number,
  at: now,
  durationMs: 5,
  statusCode,
  error,
  address: null,
  responseExcerpt: null,
})

// Proves: spec/8-webhook-retries-limited-number, webhooks/default-retry-schedule
test('with the default schedule there are eight attempts, then the delivery is dead', () => {
  const schedule = [10_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 21_600_000]
  for (const [index, delayMs] of schedule.entries()) {
    expect(decide(made(index + 1, 500), 0, schedule, now)).toEqual({
      kind: 'retry',
      delayMs,
      state: { status: 'retrying', nextAttemptAt: new Date(now.getTime() + delayMs) },
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
  expect(isAcknowledged({ statusCode, error })).toBe(expected)
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
          expect(decision.state.nextAttemptAt.getTime()).toBe(now.getTime() + decision.delayMs)
          continue
        }
        expect(decision.kind).toBe(code === 200 ? 'delivered' : 'dead')
        break
      }
    }),
  )
})

test('after Retry-After the next attempt waits for the next delay of the schedule that is long enough', () => {
  const answer = { ...made(1, 503), retryAfterMs: 3000 }
  expect(decide(answer, 0, [1000, 5000], now)).toEqual({
    kind: 'retry',
    delayMs: 5000,
    state: { status: 'retrying', nextAttemptAt: new Date(now.getTime() + 5000) },
  })
  expect(decide({ ...answer, number: 3 }, 0, [1000, 5000], now).kind).toBe('dead')
  expect(decide({ ...made(1, 200), retryAfterMs: 3000 }, 0, [1000, 5000], now).kind).toBe('delivered')
})
