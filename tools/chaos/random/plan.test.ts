import fc from 'fast-check'
import { describeFault, planFaults } from './plan.ts'

const seeds = fc.integer({ min: 0, max: 2 ** 31 })
const TWENTY_MINUTES_MS = 20 * 60_000

// Proves: deploy/random-faults-follow-the-seed
test('the same seed plans the same faults, another seed others', () => {
  fc.assert(fc.property(seeds, (seed) => expect(planFaults(seed, 300_000)).toEqual(planFaults(seed, 300_000))))
  expect(planFaults(1, 300_000)).not.toEqual(planFaults(2, 300_000))
})

test('at most two faults at once, all within the time, and at least 60 in twenty minutes', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const faults = planFaults(seed, TWENTY_MINUTES_MS)
      expect(faults.length).toBeGreaterThanOrEqual(60)
      for (const { atMs, forMs } of faults) {
        expect(atMs + forMs).toBeLessThanOrEqual(TWENTY_MINUTES_MS)
        const others = faults.filter((other) => other.atMs <= atMs && other.atMs + other.forMs > atMs)
        expect(others.length).toBeLessThanOrEqual(2)
      }
    }),
    { numRuns: 50 },
  )
})

test('every kind of fault comes within twenty minutes', () => {
  expect(new Set(planFaults(1, TWENTY_MINUTES_MS).map(({ kind }) => kind)).size).toBe(9)
})

test('a fault is described in one line', () => {
  const lines = planFaults(1, TWENTY_MINUTES_MS).map(describeFault)
  for (const line of lines) expect(line).toMatch(/^ *\d+\.\d s {2}[a-z ]+/u)
})
