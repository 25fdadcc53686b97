import fc from 'fast-check'
import { parkMsFor, nearestLevelMs } from './park-levels.ts'

const levels: [number, ...number[]] = [500, 2000, 10_000, 30_000, 120_000, 300_000]
const randomNumber = fc.double({ min: 0, max: 1, noNaN: true })

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
])('parked %i times before, at least %i ms: at most %i ms', (timesParked, minParkMs, expected) => {
  expect(parkMsFor(levels, timesParked, minParkMs, 1)).toBe(expected)
})

test('the time is a level, at least the minimum as far as there are levels, and never above the highest allowed level', () => {
  const ascending = fc.uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(ascending, fc.nat(5000), fc.nat(2_000_000), randomNumber, (numbers, timesParked, minParkMs, random) => {
      const some = numbers.toSorted((one, other) => one - other)
      const parkMs = parkMsFor(some, timesParked, minParkMs, random)
      expect(some).toContain(parkMs)
      expect(parkMs).toBeGreaterThanOrEqual(Math.min(minParkMs, some.at(-1) ?? 0))
      expect(parkMs).toBeLessThanOrEqual(parkMsFor(some, timesParked, minParkMs, 1))
      expect(parkMsFor(some, timesParked + 1, minParkMs, 1)).toBeGreaterThanOrEqual(parkMsFor(some, timesParked, minParkMs, 1))
    }),
  )
})

// Proves: webhooks/open-breaker-delays-deliveries
test('a message for a busy endpoint comes back less and less often: a few hundred times a day', () => {
  let [elapsedMs, timesParked] = [0, 0]
  while (elapsedMs < 86_400_000) elapsedMs += parkMsFor(levels, timesParked++, 0, 1)
  expect(timesParked).toBeLessThan(400)
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
