import fc from 'fast-check'
import { parseInstant, parseInstantOrAge } from './parse-instant.ts'

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
