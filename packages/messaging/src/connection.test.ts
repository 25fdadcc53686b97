import fc from 'fast-check'
import { backoffMs } from './connection.ts'

const backoff = { firstMs: 100, maxMs: 5_000 }
const attempts = fc.integer({ min: 0, max: 10_000 })
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('a pause is at least half of firstMs and at most maxMs, for every attempt', () => {
  fc.assert(
    fc.property(attempts, randoms, (attempt, random) => {
      const pauseMs = backoffMs(backoff, attempt, random)
      expect(pauseMs).toBeGreaterThanOrEqual(50)
      expect(pauseMs).toBeLessThanOrEqual(5_000)
    }),
  )
})

test('pauses grow with the attempt', () => {
  fc.assert(
    fc.property(attempts, randoms, (attempt, random) => {
      expect(backoffMs(backoff, attempt + 1, random)).toBeGreaterThanOrEqual(backoffMs(backoff, attempt, random))
    }),
  )
  expect([1, 2, 3, 4].map((attempt) => backoffMs(backoff, attempt, 0))).toEqual([50, 100, 200, 400])
})
