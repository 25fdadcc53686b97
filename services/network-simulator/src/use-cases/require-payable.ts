import { Refused } from '@gateway/contracts'
import type { KnownTransaction } from '../clients/payment-status.ts'

/** Throws `Refused` with code `notFound` for an unknown order, and `order_not_payable` for one that has ended. */
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
