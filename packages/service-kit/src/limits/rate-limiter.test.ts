import { createRateLimiter } from './rate-limiter.ts'

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

test('memory is bounded: with too many keys the one idle longest is dropped', () => {
  const take = createRateLimiter(1, () => 0, 2)
  for (const key of ['a', 'b', 'c']) take(key)
  expect(() => take('c')).toThrow()
  expect(() => take('a')).not.toThrow()
})
