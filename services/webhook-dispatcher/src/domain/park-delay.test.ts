import fc from 'fast-check'
import { nearestLevelMs, parkDelayMs } from './park-delay.ts'

const levels: [number, ...number[]] = [500, 2000, 10_000, 30_000, 120_000, 300_000]
const chance = fc.double({ min: 0, max: 1, noNaN: true })

test.each([
  [0, 0, 500],
  [0, 500, 500],
  [0, 501, 2000],
  [0, 5000, 10_000],
  [0, 300_000, 300_000],
  [0, 9_999_999, 300_000],
  [1, 0, 2000],
  [3, 0, 10_000],
  [3, 20_000, 30_000],
  [1000, 0, 300_000],
])('aside %i times before and %i ms known of the wait: at most %i ms', (parked, waitMs, expected) => {
  expect(parkDelayMs(levels, parked, waitMs, 1)).toBe(expected)
})

test('it is a level, never below what is known of the wait as far as levels go, and never above both reasons to wait', () => {
  const ascending = fc.uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(ascending, fc.nat(5000), fc.nat(2_000_000), chance, (numbers, parked, waitMs, random) => {
      const some = numbers.toSorted((one, other) => one - other)
      const delayMs = parkDelayMs(some, parked, waitMs, random)
      expect(some).toContain(delayMs)
      expect(delayMs).toBeGreaterThanOrEqual(Math.min(waitMs, some.at(-1) ?? 0))
      expect(delayMs).toBeLessThanOrEqual(parkDelayMs(some, parked, waitMs, 1))
      expect(parkDelayMs(some, parked + 1, waitMs, 1)).toBeGreaterThanOrEqual(parkDelayMs(some, parked, waitMs, 1))
    }),
  )
})

test('a message that waits for a busy endpoint comes back ever less often: a day of it is a few hundred times', () => {
  let [elapsedMs, parked] = [0, 0]
  while (elapsedMs < 86_400_000) elapsedMs += parkDelayMs(levels, parked++, 0, 1)
  expect(parked).toBeLessThan(400)
})

test.each([
  [0, 500],
  [999, 500],
  [1000, 2000],
  [4400, 2000],
  [4500, 10_000],
  [10_100, 10_000],
  [18_000, 30_000],
  [9_999_999, 300_000],
])('after a silence of %i ms the nearest level is %i ms', (silentMs, expected) => {
  expect(nearestLevelMs(levels, silentMs)).toBe(expected)
  expect(nearestLevelMs([700], silentMs)).toBe(700)
})
