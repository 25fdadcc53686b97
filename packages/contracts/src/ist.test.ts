import fc from 'fast-check'
import { addDays, formatCountdown, formatIst, istDay, istDayEnd, istDayStart } from './ist.ts'

// Proves: spec/6-2-datetime-time-event-yyyy
test('midnight in IST is 18:30 UTC of the day before', () => {
  expect(formatIst(new Date('2025-12-31T18:30:00.000Z'))).toBe('2026-01-01 00:00:00')
  expect(formatIst(new Date('2025-12-31T18:29:59.999Z'))).toBe('2025-12-31 23:59:59')
})

// Proves: spec/6-2-datetime-time-event-yyyy
test('it agrees with the time zone database', () => {
  const formatter = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Kolkata', dateStyle: 'short', timeStyle: 'medium' })
  fc.assert(
    fc.property(fc.date({ min: new Date('1970-01-02'), max: new Date('2199-12-31'), noInvalidDate: true }), (instant) => {
      expect(formatIst(instant)).toBe(formatter.format(instant))
    }),
  )
})

test.each([
  ['2026-01-01T18:29:59.999Z', 5, '2026-01-06T18:29:59.999Z'],
  ['2026-01-01T18:30:00.000Z', 5, '2026-01-07T18:29:59.999Z'],
  ['2026-01-01T00:00:00.000Z', 0, '2026-01-01T18:29:59.999Z'],
])('the day of %s in IST, %i days later, ends at %s', (instant, days, end) => {
  expect(istDayEnd(new Date(instant), days).toISOString()).toBe(end)
})

test('a day in IST begins at 18:30 UTC of the day before; text that is no day of the calendar has no begin', () => {
  const start = istDayStart('2026-03-01')
  expect(start?.toISOString()).toBe('2026-02-28T18:30:00.000Z')
  expect(istDay(new Date('2026-02-28T18:30:00.000Z'))).toBe('2026-03-01')
  expect(istDay(new Date('2026-02-28T18:29:59.999Z'))).toBe('2026-02-28')
  for (const text of ['2026-02-30', '2026-13-01', '2026-2-1', '', '2026-02-28T00:00:00Z'])
    expect(istDayStart(text)).toBeUndefined()
  expect([addDays('2026-02-28', 1), addDays('2026-03-01', -1), addDays('2024-02-28', 1)]).toEqual([
    ...['2026-03-01', '2026-02-28', '2024-02-29'],
  ])
})

test.each([
  [0, '0:00'],
  [1, '0:01'],
  [65_000, '1:05'],
  [3_600_000, '60:00'],
])('%d ms are %s', (ms, text) => {
  expect(formatCountdown(ms)).toBe(text)
})
