import { formatPaise, formatRefundId, type RefundView } from '@gateway/contracts'
import type { Capture, Refund, Transaction } from './transaction.ts'

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

/** A refund as merchants see it. */
export function toRefundView({ id: transactionId, order }: Pick<Transaction, 'id' | 'order'>, refund: Refund): RefundView {
  return {
    id: formatRefundId(transactionId, refund.n),
    refund_id: refund.refundId,
    order_id: order.orderId,
    transaction_id: transactionId,
    amount: formatPaise(refund.amountPaise),
    currency: 'INR',
    status: refund.status,
    pending_reason: refund.pendingReason,
    failure_code: refund.failureCode,
    rrn: refund.rrn,
    sequence: refund.sequence,
    reason: refund.reason,
    note: refund.note,
    created_at: refund.requestedAt.toISOString(),
    updated_at: refund.updatedAt.toISOString(),
    completed_at: refund.completedAt?.toISOString() ?? null,
  }
}
