import fc from 'fast-check'
import { MIN_WIDTH_MS, nextWidthMs, nextWindow } from './purge-window.ts'

const anyDate = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
const YEAR_MS = 365 * 86_400_000

test('windows follow each other without a gap and end at the cutoff', () => {
  fc.assert(
    fc.property(
      anyDate,
      fc.integer({ min: 0, max: 10 * YEAR_MS }),
      fc.array(fc.boolean(), { maxLength: 100 }),
      (start, lengthMs, fulls) => {
        const cutoff = new Date(start.getTime() + lengthMs)
        let [at, widthMs] = [start, MIN_WIDTH_MS]
        for (const wasFull of fulls) {
          const window = nextWindow(at, cutoff, widthMs)
          if (!window) break
          expect(window.from).toEqual(at)
          expect(window.until.getTime()).toBeGreaterThan(at.getTime())
          expect(window.until.getTime()).toBeLessThanOrEqual(cutoff.getTime())
          widthMs = nextWidthMs(window, wasFull)
          expect(widthMs).toBeGreaterThanOrEqual(MIN_WIDTH_MS)
          // A full window is scanned again.
          if (!wasFull) at = window.until
        }
      },
    ),
  )
})

test('a purge that finds nothing goes from 1970 to today in a few steps', () => {
  const cutoff = new Date('2026-11-21')
  let [at, widthMs, steps] = [new Date(0), MIN_WIDTH_MS, 0]
  for (let window = nextWindow(at, cutoff, widthMs); window; window = nextWindow(at, cutoff, widthMs)) {
    at = window.until
    widthMs = nextWidthMs(window, false)
    steps += 1
  }
  expect(at).toEqual(cutoff)
  expect(steps).toBeLessThan(40)
})

test('there is no window beyond the cutoff', () => {
  const instant = new Date('2026-01-01')
  expect(nextWindow(instant, instant, 1)).toBeUndefined()
  expect(nextWindow(new Date('2026-01-02'), instant, 1)).toBeUndefined()
})
