import {
  FAILURE_CODES,
  FAILURE_REASONS,
  isFinal,
  ORDER_METHODS,
  PAYMENT_METHODS,
  REVERSAL_REASONS,
  TRANSACTION_STATUSES,
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
