import fc from 'fast-check'
import { excerptOf, MAX_RETRY_AFTER_MS, readRetryAfterMs } from './answer.ts'

const now = new Date('1994-11-06T08:49:07.250Z')

// Proves: webhooks/retry-after-is-rounded-up
test.each([
  ['0', 0],
  ['7', 7000],
  [' 120 ', 120_000],
  ['007', 7000],
  ['99999999999', MAX_RETRY_AFTER_MS],
  ['9'.repeat(400), MAX_RETRY_AFTER_MS],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 29_750],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 29_750],
  ['Sun Nov  6 08:49:37 1994', 29_750],
  ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', MAX_RETRY_AFTER_MS],
])('Retry-After: %s is read', (value, expectedMs) => {
  expect(readRetryAfterMs(value, now)).toBe(expectedMs)
})

test.each([
  '',
  '-1',
  '+5',
  '1.5',
  '1e3',
  '0x10',
  '١٢',
  '5s',
  '5, 10',
  'soon',
  '1994-11-06T08:49:37Z',
  '06 Nov 1994 08:49:37 GMT',
])('Retry-After: "%s" is as good as none', (value) => {
  expect(readRetryAfterMs(value, now)).toBeUndefined()
})
test.each(['Sun, 06 Nov 1994 08:49:37 IST', 'Sun, 06 Nov 1994 25:49:37 GMT', 'Sun Nov 06 08:49:37 1994 +0530'])(
  'Retry-After: the date %s is ignored',
  (value) => {
    expect(readRetryAfterMs(value, now)).toBeUndefined()
  },
)

test('seconds and a date of the same instant give the same wait, to the second', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }),
      fc.nat(1_000_000),
      (at, seconds) => {
        at.setUTCMilliseconds(0)
        const date = new Date(at.getTime() + seconds * 1000).toUTCString()
        expect(readRetryAfterMs(date, at)).toBe(readRetryAfterMs(String(seconds), at))
      },
    ),
  )
})

test('for any header value the wait is a whole number within its bound, or undefined', () => {
  const hostile = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.bigInt().map(String), fc.double().map(String))
  fc.assert(
    fc.property(hostile, (value) => {
      const askedMs = readRetryAfterMs(value, now) ?? 0
      expect(Number.isInteger(askedMs) && askedMs >= 0 && askedMs <= MAX_RETRY_AFTER_MS).toBe(true)
    }),
  )
})

test('an excerpt is printable and at most 1 KiB, for any answer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      const excerpt = excerptOf(Buffer.from(bytes)) ?? ''
      expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(1024)
      expect(excerpt).not.toMatch(/[\p{Cc}\uFFFD]/u)
    }),
  )
})

test('text stays as it is; an empty answer is null', () => {
  expect(excerptOf(Buffer.from('order नहीं found'))).toBe('order नहीं found')
  expect(excerptOf(Buffer.alloc(0))).toBeNull()
  expect(excerptOf(Buffer.from('\u0000\u0001'))).toBeNull()
})
