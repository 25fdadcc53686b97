import { InvalidArgumentError } from 'commander'
import { day, duration, instant, orderId, timeAt } from './parse.ts'

const now = new Date('2026-11-24T10:00:00Z')

// Proves: cli/times-in-lists
test('the ends of a list are full times, days in IST, or how long ago', () => {
  expect(['30m', '2h', '3d', '0s'].map((text) => timeAt(text, now))).toEqual([
    ...['2026-11-24T09:30:00.000Z', '2026-11-24T08:00:00.000Z', '2026-11-21T10:00:00.000Z', '2026-11-24T10:00:00.000Z'],
  ])
  expect(timeAt('2026-11-23', now)).toBe('2026-11-23T00:00:00+05:30')
  for (const text of ['2026-11-23T10:00:00Z', '2026-11-23T10:00+05:30', '2026-11-23T10:00:00.123Z'])
    expect(timeAt(text, now)).toBe(text)
  const offset = '2026-11-23T10:00:00+05:30'
  for (const text of ['2026-11-23 10:00:00+05:30', '2026-11-23t10:00:00+0530']) expect(timeAt(text, now)).toBe(offset)
  expect(timeAt('2026-11-23T10:00:00z', now)).toBe('2026-11-23T10:00:00Z')
})

// Proves: cli/one-reader-of-times
test('a time means the same in every option: a day is its beginning in IST', () => {
  expect(instant('2026-11-26').toISOString()).toBe('2026-11-25T18:30:00.000Z')
  expect(instant('2026-11-26T00:00:00+05:30').toISOString()).toBe('2026-11-25T18:30:00.000Z')
  for (const text of [
    '2026-02-30',
    '1',
    '2026',
    '2026-11',
    '11/26/2026',
    'Nov 26 2026',
    '2026-11-26T10:00',
    '2026-11-26T10:00:00+99:99',
  ])
    expect(() => instant(text)).toThrow(InvalidArgumentError)
})

// Proves: cli/one-reader-of-times
test('a day that is not in the calendar is refused', () => {
  expect(day('2028-02-29')).toBe('2028-02-29')
  for (const text of ['2026-02-30', '2026-02-29', '2026-13-01', '2026-1-1', '1', 'today', '2026-11-26T00:00:00Z'])
    expect(() => day(text)).toThrow(InvalidArgumentError)
})

// Proves: cli/times-in-lists
test.each([
  ...['', 'yesterday', '2', '2w', '2h30m', '-2h', '2026-02-30', '2026-13-01', '2026-11-23T10:00:00', '2026-11-23T25:00:00Z'],
  ...['23.11.2026', '1763892000000', '999999999d'],
])('%p is no end of a list', (text) => {
  expect(() => timeAt(text, now)).toThrow(InvalidArgumentError)
})

test('a duration that leads before all times is refused, and days are a unit', () => {
  expect(duration('3d')).toBe(259_200_000)
  expect(() => instant('999999999d')).toThrow(InvalidArgumentError)
})

// Proves: cli/order-ids-are-checked
test('an id that no order can have is refused', () => {
  expect(orderId('ORD-1_x')).toBe('ORD-1_x')
  for (const text of ['', 'ab', 'a/b', 'ORD/1', '..', 'ORD 1', 'ORD-é', 'x'.repeat(46)])
    expect(() => orderId(text)).toThrow(InvalidArgumentError)
})
