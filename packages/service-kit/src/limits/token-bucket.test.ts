import fc from 'fast-check'
import { takeToken, type Bucket } from './token-bucket.ts'

const rates = fc.integer({ min: 1, max: 500 })
const pausesMs = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 300 })

/** The times at which a token was taken. */
function takenAt(perSecond: number, timesMs: readonly number[]): number[] {
  let bucket: Bucket | undefined
  return timesMs.filter((nowMs) => {
    const taken = takeToken(bucket, perSecond, nowMs)
    bucket = taken.bucket
    return taken.waitMs === 0
  })
}

function times(pauses: readonly number[]): number[] {
  let nowMs = 1000
  return pauses.map((pauseMs) => (nowMs += pauseMs))
}

// Proves: api/rate-limit-token-bucket
test('in any period, at most a full bucket plus the tokens added during the period are taken', () => {
  fc.assert(
    fc.property(rates, pausesMs, (perSecond, pauses) => {
      const takenMs = takenAt(perSecond, times(pauses))
      for (const [first, fromMs] of takenMs.entries()) {
        for (const [last, toMs] of takenMs.entries()) {
          if (last < first) continue
          expect(last - first + 1).toBeLessThanOrEqual(perSecond + ((toMs - fromMs) * perSecond) / 1000)
        }
      }
    }),
    { numRuns: 30 },
  )
})

// Proves: api/rate-limit-token-bucket
test('a caller that stays within the rate is never refused', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 1, max: 400 }), (perSecond, count) => {
      const paced = Array.from({ length: count }, (_, index) => Math.ceil((index * 1000) / perSecond))
      expect(takenAt(perSecond, paced)).toHaveLength(count)
    }),
  )
})

test('a token is available after the announced wait, and not before', () => {
  fc.assert(
    fc.property(rates, pausesMs, (perSecond, pauses) => {
      let bucket: Bucket | undefined
      for (const nowMs of times(pauses)) {
        const taken = takeToken(bucket, perSecond, nowMs)
        bucket = taken.bucket
        if (taken.waitMs === 0) continue
        expect(takeToken(bucket, perSecond, nowMs + taken.waitMs).waitMs).toBe(0)
        if (taken.waitMs > 1) expect(takeToken(bucket, perSecond, nowMs + taken.waitMs - 1).waitMs).toBeGreaterThan(0)
      }
    }),
  )
})

test('a clock that runs backwards adds no tokens', () => {
  const empty = takeToken({ milliTokens: 500, atMs: 1000 }, 10, 400)
  expect(empty).toEqual({ bucket: { milliTokens: 500, atMs: 1000 }, waitMs: 50 })
})
