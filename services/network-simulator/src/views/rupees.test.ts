import { formatRupees } from './rupees.ts'

test.each([
  [100, '₹1.00'],
  [99_999, '₹999.99'],
  [100_000, '₹1,000.00'],
  [12_345_600, '₹1,23,456.00'],
  [1_000_000_000, '₹1,00,00,000.00'],
])('%d paise are %s', (paise, shown) => {
  expect(formatRupees(paise)).toBe(shown)
})
