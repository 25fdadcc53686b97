import fc from 'fast-check'
import { formatPaise, formatRupees, parseAmount } from './money.ts'

test.each([
  ['499', 49900],
  ['499.0', 49900],
  ['499.00', 49900],
  ['499.5', 49950],
  ['0.01', 1],
  ['0', 0],
  ['10000000.00', 1_000_000_000],
])('%s is %d paise', (rupees, amountPaise) => {
  expect(parseAmount(rupees)).toBe(amountPaise)
})

// Proves: api/amount-is-text-in-rupees, faults/malformed-amounts
test.each(['1e3', '-1', '1.005', ' 5', '5 ', '05', '', '.5', '5.', '1,000', '+1', '100000000', '٣', '1\n', 'NaN', '0x10'])(
  '%j is no amount',
  (rupees) => {
    expect(parseAmount(rupees)).toBeUndefined()
  },
)

test('every amount reads back from its text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_999_999_999 }), (amountPaise) => {
      expect(parseAmount(formatPaise(amountPaise))).toBe(amountPaise)
    }),
  )
})

test.each([1.5, -1, NaN, Infinity, 2 ** 53])('%d paise cannot be formatted', (amountPaise) => {
  expect(() => formatPaise(amountPaise)).toThrow(RangeError)
})

test.each([
  ['1.00', '₹1.00'],
  ['499.00', '₹499.00'],
  ['1000.50', '₹1,000.50'],
  ['123456.00', '₹1,23,456.00'],
  ['10000000.00', '₹1,00,00,000.00'],
])('%s rupees are %s', (amount, text) => {
  expect(formatRupees(amount)).toBe(text)
})
