import fc from 'fast-check'
import { COPY_TTL_MS, firstPosition } from './copy.ts'

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
