import type { Capture, Transaction } from '../transaction.ts'
import type { Refund } from './refund.ts'

/** The capture that can be refunded; `undefined` while the order is not paid. */
export function acceptedCapture({ captures }: Pick<Transaction, 'captures'>): Capture | undefined {
  return captures.find(({ disposition }) => disposition === 'accepted')
}

export function refundsOf({ refunds = [] }: Pick<Transaction, 'refunds'>): readonly Refund[] {
  return refunds
}

/** The sum of the succeeded refunds. */
export function refundedPaise(transaction: Pick<Transaction, 'refunds'>): number {
  return sumOf(refundsOf(transaction).filter(({ status }) => status === 'succeeded'))
}

/** How much can still be refunded, in paise. Pending refunds count as refunded: the network may have paid them already. */
export function refundablePaise(transaction: Pick<Transaction, 'captures' | 'refunds'>): number {
  const bound = refundsOf(transaction).filter(({ status }) => status === 'pending' || status === 'succeeded')
  return (acceptedCapture(transaction)?.amountPaise ?? 0) - sumOf(bound)
}

function sumOf(refunds: readonly Refund[]): number {
  return refunds.reduce((sum, { amountPaise }) => sum + amountPaise, 0)
}

/** The transaction's refunds with this one in the place of its earlier version. */
export function replaceRefund(transaction: Pick<Transaction, 'refunds'>, refund: Refund): Refund[] {
  return refundsOf(transaction).map((other) => (other.n === refund.n ? refund : other))
}
