import fc from 'fast-check'
import { addressKey } from './client-address.ts'
import { createRateLimiter, takeToken, type Bucket } from './rate-limiter.ts'

// Proves: api/rate-limit-0-is-off
test('0 per second means no limit', () => {
  const take = createRateLimiter(0, () => 0)
  expect(() => Array.from({ length: 1000 }, () => take('a'))).not.toThrow()
})

// Proves: api/retry-after
test('a refusal says how long to wait, in whole seconds and at least one', () => {
  const take = createRateLimiter(1, () => 0)
  take('a')
  expect(() => take('a')).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }) as Error)
})

// Proves: api/limits-survive-floods-of-keys
test('memory is bounded: of too many buckets the one idle longest is dropped, once it is full again', () => {
  let nowMs = 0
  const take = createRateLimiter(1, () => nowMs, 2)
  for (const key of ['a', 'b']) take(key)
  nowMs = 1000
  take('b')
  take('c')
  expect(() => take('b')).toThrow()
  expect(() => take('c')).toThrow()
})

const MAX = 1000
// Proves: api/limits-survive-floods-of-keys
test.each([
  ['IPv6 networks of one owner', (index: number) => `2001:db8:1:${index.toString(16)}::1`, 1],
  ['IPv6 networks of many owners', (index: number) => `2001:db8:${index.toString(16)}:1::1`, 1001],
  ['IPv4 addresses', (index: number) => `10.0.${index >> 8}.${index & 255}`, 12],
])('a flood from more %s than there are buckets refills none of them', (_name, addressOf, networks) => {
  const take = createRateLimiter(1, () => 0, MAX)
  const victim = addressKey('203.0.113.7')
  const isTaken = (address: string): boolean => {
    try {
      take(addressKey(address))
      return true
    } catch {
      return false
    }
  }
  take(victim)
  const taken = Array.from({ length: 3 * MAX }, (_, index) => isTaken(addressOf(index)))
  expect(taken.filter((isOne) => isOne).length).toBeLessThanOrEqual(MAX + networks)
  expect(() => take(victim)).toThrow()
  expect(isTaken(addressOf(0))).toBe(false)
})

test('a key without room is limited by its own bucket again as soon as one is full', () => {
  let nowMs = 0
  const take = createRateLimiter(1, () => nowMs, 2)
  for (const key of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) take(key)
  expect(() => take('10.0.0.4')).toThrow()
  expect(() => take('10.0.1.1')).not.toThrow()
  nowMs = 1000
  for (const key of ['10.0.0.4', '10.0.0.5']) expect(() => take(key)).not.toThrow()
})

test('as many tokens as asked for must be there; checking takes none', () => {
  const take = createRateLimiter(3, () => 0)
  take('a')
  expect(() => take.check('a', 2)).not.toThrow()
  expect(() => take.check('a', 3)).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }) as Error)
  take('a')
  take('a')
  expect(() => take.check('a')).toThrow()
})

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
