import fc from 'fast-check'
import { COPY_TTL_MS, firstPosition, formatProgress, parseProgress } from './copy.ts'

const times = fc.date({ min: new Date('2026-01-01'), max: new Date('2037-01-01'), noInvalidDate: true })

test('a first position is greater than those of an hour before, and too short for a card number', () => {
  fc.assert(
    fc.property(times, (now) => {
      const later = new Date(now.getTime() + COPY_TTL_MS)
      expect(firstPosition(later)).toBeGreaterThanOrEqual(firstPosition(now) + 10_000_000)
      expect(String(firstPosition(later)).length).toBeLessThan(13)
    }),
  )
})

// Proves: listen/bad-input-is-refused
test('the id of an event says how far the session has come, and has no 13 digits in a row', () => {
  const progresses = fc.record({ position: fc.nat({ max: 999_999_999_999 }), since: times })
  fc.assert(
    fc.property(progresses, (progress) => {
      const id = formatProgress(progress)
      expect(parseProgress(id)).toEqual(progress)
      expect(id).not.toMatch(/\d{13}/u)
    }),
  )
  expect(['', '-', '17', '12-', '1.5', 'evt_1', '9999999999999999', '12-A', `12-${'z'.repeat(10)}`].map(parseProgress)).toEqual(
    Array.from({ length: 9 }, () => undefined),
  )
})
