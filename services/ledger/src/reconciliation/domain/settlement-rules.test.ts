import fc from 'fast-check'
import { addDays } from '@gateway/contracts'
import { lastDueDay, type SettlementRules } from './settlement-rules.ts'

const rules: SettlementRules = {
  ...{ captureBusinessDays: 2, refundDays: 7, reversalDays: 5, since: undefined },
  holidays: new Set(['2026-11-10']),
}

// Proves: ledger/settlement-days-are-kept
test.each([
  // Wednesday: Monday's payments are due. Monday and Tuesday: those of Thursday and Friday, weekends are no business days.
  ['2026-11-04', '2026-11-02'],
  ['2026-11-16', '2026-11-12'],
  ['2026-11-17', '2026-11-15'],
  // Tuesday the 10th is a holiday, so Friday's payments are due on Wednesday.
  ['2026-11-10', '2026-11-05'],
  ['2026-11-11', '2026-11-08'],
])('of files complete up to %s, payments up to %s have to be settled', (asOf, expected) => {
  expect(lastDueDay('capture', asOf, rules)).toBe(expected)
  expect(lastDueDay('unwanted_capture', asOf, rules)).toBe(expected)
  expect(lastDueDay('refund', asOf, rules)).toBe(addDays(asOf, -7))
  expect(lastDueDay('refund_return', asOf, rules)).toBe(addDays(asOf, -7))
  expect(lastDueDay('reversal', asOf, rules)).toBe(addDays(asOf, -5))
})

test('the due day never goes back, and with no days it is the same day', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 20 }), (offset, days) => {
      const asOf = addDays('2026-01-01', offset)
      const some = { ...rules, captureBusinessDays: days }
      expect(lastDueDay('capture', addDays(asOf, 1), some) >= lastDueDay('capture', asOf, some)).toBe(true)
    }),
  )
  expect(lastDueDay('capture', '2026-11-07', { ...rules, captureBusinessDays: 0 })).toBe('2026-11-07')
})
