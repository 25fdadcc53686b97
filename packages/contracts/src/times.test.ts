import fc from 'fast-check'
import { parseInstant, parseInstantOrAge, addDays, formatCountdown, formatIst, istDay, istDayEnd, istDayStart } from './times.ts'

test.each([
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-11-21T10:00Z', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21T15:30:00.25+05:30', '2026-11-21T10:00:00.250Z'],
])('%s is %s', (text, instant) => {
  expect(parseInstant(text)?.toISOString()).toBe(instant)
})

test.each([
  '',
  '1',
  '2026',
  '2026-11',
  '2026-13-01',
  '2026-02-31',
  '2026-02-29T10:00:00Z',
  '11/12/2026',
  '21 Nov 2026',
  'yesterday',
  '2026-11-21T10:00:00',
  '2026-11-21 10:00:00Z',
  '2026-11-21T25:00:00Z',
  '2026-11-21T10:00:00+30:00',
  ' 2026-11-21',
  '9999-12-31T23:59:59-14:00',
  '2026-11-21T10:00:00Z or so',
])('"%s" is none', (text) => {
  expect(parseInstant(text)).toBeUndefined()
})

test('the ISO text of a Date reads back as that Date', () => {
  const years = { min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }
  fc.assert(fc.property(fc.date(years), (date) => expect(parseInstant(date.toISOString())).toEqual(date)))
})

test.each([
  ['90m', '2026-11-21T08:30:00.000Z'],
  ['24h', '2026-11-20T10:00:00.000Z'],
  ['7d', '2026-11-14T10:00:00.000Z'],
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['1w', undefined],
  ['-1h', undefined],
])('an operator writes %s for %s', (text, expected) => {
  expect(parseInstantOrAge(text, new Date('2026-11-21T10:00:00Z'))?.toISOString()).toBe(expected)
})

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
