import { InvalidArgumentError } from 'commander'
import { duration, instant, listTimeAt, orderId } from './parse.ts'

const now = new Date('2026-11-24T10:00:00Z')

// Proves: cli/times-in-lists
test('the ends of a list are full times, days in IST, or how long ago', () => {
  expect(['30m', '2h', '3d', '0s'].map((text) => listTimeAt(text, now))).toEqual([
    ...['2026-11-24T09:30:00.000Z', '2026-11-24T08:00:00.000Z', '2026-11-21T10:00:00.000Z', '2026-11-24T10:00:00.000Z'],
  ])
  expect(listTimeAt('2026-11-23', now)).toBe('2026-11-23T00:00:00+05:30')
  for (const text of ['2026-11-23T10:00:00Z', '2026-11-23T10:00+05:30', '2026-11-23T10:00:00.123Z'])
    expect(listTimeAt(text, now)).toBe(text)
})

// Proves: cli/times-in-lists
test.each([
  ...['', 'yesterday', '2', '2w', '2h30m', '-2h', '2026-02-30', '2026-13-01', '2026-11-23T10:00:00', '2026-11-23T25:00:00Z'],
  ...['23.11.2026', '1763892000000', '999999999d'],
])('%p is no end of a list', (text) => {
  expect(() => listTimeAt(text, now)).toThrow(InvalidArgumentError)
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
