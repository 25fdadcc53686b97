import {
  FAILURE_CODES,
  FAILURE_REASONS,
  isFinal,
  ORDER_METHODS,
  PAYMENT_METHODS,
  REVERSAL_REASONS,
  TRANSACTION_STATUSES,
  formatRefundId,
  parseRefundId,
} from './transaction.ts'
import { ATTEMPT_STATUSES, REVERSAL_STATUSES } from './http/search-order.ts'

/** Merchants' programs compare these values; adding one changes the public API. */
// Proves: spec/four-statuses, state/failure-reason-is-one-of-six
test('the values that merchants see are closed lists', () => {
  expect(TRANSACTION_STATUSES).toEqual(['Initiate', 'Pending', 'Success', 'Failed'])
  expect(FAILURE_REASONS).toEqual(['declined', 'cancelled', 'expired', 'amount_mismatch', 'unconfirmed', 'network_error'])
  expect(FAILURE_CODES).toEqual([
    ...['insufficient_funds', 'authentication_failed', 'limit_exceeded', 'payer_declined', 'instrument_blocked'],
    ...['issuer_down', 'timed_out', 'risk', 'unknown'],
  ])
  expect(PAYMENT_METHODS).toEqual(['upi', 'credit_card', 'debit_card', 'netbanking'])
  expect(ORDER_METHODS).toEqual(['upi', 'card', 'netbanking'])
  expect(ATTEMPT_STATUSES).toEqual(['open', 'abandoned', 'succeeded', 'failed', 'reversed'])
  expect(REVERSAL_REASONS).toEqual(['late', 'duplicate', 'amount_mismatch'])
  expect(REVERSAL_STATUSES).toEqual(['pending', 'succeeded', 'failed'])
})

// Proves: state/success-and-failed-are-final
test('Success and Failed are final, the others are not', () => {
  expect(TRANSACTION_STATUSES.filter(isFinal)).toEqual(['Success', 'Failed'])
})

test('a refund id is the id of its transaction and two digits, and can be read back', () => {
  const transactionId = '01KAQ9ZX5R8Y3N6T2V4W7B1C0DZZ'
  const id = formatRefundId(transactionId, 1)
  expect(id).toBe(`${transactionId}R01`)
  expect(id).toHaveLength(31)
  expect(parseRefundId(id)).toEqual({ transactionId, n: 1 })
  expect(parseRefundId(formatRefundId('R01', 20))).toEqual({ transactionId: 'R01', n: 20 })
})

test.each(['', 'R01', 'T1', 'T1R1', 'T1R001x', 't1R01', 'T1r01', 'T1R0１', '../T1R01'])('%j is no refund id', (text) => {
  expect(parseRefundId(text)).toBeUndefined()
})
