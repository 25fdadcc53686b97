import fc from 'fast-check'
import { changeWaitMs } from './change-limit.ts'

const limit = { burst: 3, intervalMs: 1000 }
const at = (ms: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + ms)

// Proves: webhooks/endpoint-change-rate
test('a burst at once, then one change in each interval', () => {
  expect(changeWaitMs([], at(0), limit)).toBe(0)
  expect(changeWaitMs([at(0), at(0)], at(0), limit)).toBe(0)
  expect(changeWaitMs([at(0), at(0), at(0)], at(0), limit)).toBe(1000)
  expect(changeWaitMs([at(0), at(0), at(0)], at(400), limit)).toBe(600)
  expect(changeWaitMs([at(0), at(0), at(0)], at(1000), limit)).toBe(0)
  expect(changeWaitMs([at(0), at(0), at(0), at(1000)], at(1000), limit)).toBe(1000)
})

// Proves: webhooks/endpoint-change-rate
test('however often a change is tried, the wait is at most one interval', async () => {
  const pauses = fc.array(fc.nat({ max: 5000 }), { maxLength: 200 })
  fc.assert(
    fc.property(pauses, (pausesMs) => {
      const made: Date[] = []
      let nowMs = 0
      for (const pauseMs of pausesMs) {
        nowMs += pauseMs
        const waitMs = changeWaitMs(made, at(nowMs), limit)
        expect(waitMs).toBeLessThanOrEqual(limit.intervalMs)
        if (waitMs === 0) made.push(at(nowMs))
      }
      expect(made.length).toBeLessThanOrEqual(limit.burst + nowMs / limit.intervalMs)
    }),
  )
})
