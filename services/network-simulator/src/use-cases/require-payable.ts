import { Refused } from '@gateway/contracts'
import type { KnownTransaction } from '../clients/payment-status.ts'

/** Throws the given code when there is no such order, and `order_not_payable` when it has ended. */
export function requirePayable(
  transaction: KnownTransaction | undefined,
  notFound: 'order_not_found' | 'transaction_not_found',
  now: Date,
): KnownTransaction {
  if (!transaction) throw new Refused(notFound, 'There is no such order')
  if (transaction.final || transaction.closing || transaction.expiresAt <= now) {
    throw new Refused('order_not_payable', 'The order is finished, expired or cancelled')
  }
  return transaction
}
