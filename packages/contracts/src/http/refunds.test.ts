import fc from 'fast-check'
import { parseAmount } from '../money.ts'
import { createRefundRequest } from './refunds.ts'

const isAccepted = (amount: unknown): boolean => {
  try {
    createRefundRequest.parse({ order_id: 'ORD-1001', refund_id: 'RF-1', amount })
    return true
  } catch {
    return false
  }
}

// Proves: refunds/refusals
test('the amount of a refund is any amount but zero', () => {
  const digits = fc.string({ unit: fc.constantFrom('0', '1', '9', '.'), maxLength: 6 })
  fc.assert(
    fc.property(digits, (text) => {
      expect(isAccepted(text)).toBe((parseAmount(text) ?? 0) > 0)
    }),
    { numRuns: 2000 },
  )
  for (const amount of ['0', '0.0', '0.00', '-1', '1e2', ' 1', '１', 499]) expect(isAccepted(amount)).toBe(false)
  for (const amount of ['0.01', '0.1', '0.10', '1', '499.5', '99999999.99']) expect(isAccepted(amount)).toBe(true)
})
