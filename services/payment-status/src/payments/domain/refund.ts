import { formatPaise, formatRefundId, REFUND_STATUS_CHANGED, type RefundStatusChanged, type RefundView } from '@gateway/contracts'
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

/** The event of a refund's present status. `transaction` contains the refund in that status. */
export function refundStatusChanged(transaction: Transaction, refund: Refund): RefundStatusChanged {
  const view = toRefundView(transaction, refund)
  const capture = acceptedCapture(transaction)
  return {
    id: `${view.id}.${refund.sequence}`,
    type: REFUND_STATUS_CHANGED,
    version: 1,
    occurred_at: refund.updatedAt.toISOString(),
    correlation_id: transaction.order.correlationId,
    data: {
      ...view,
      merchant_id: transaction.order.merchant.id,
      reference: capture?.reference ?? '',
      method: transaction.method,
      amount_paise: refund.amountPaise,
      captured_paise: capture?.amountPaise ?? 0,
      refunded_paise: refundedPaise(transaction),
    },
  }
}

/**
 * The next call about a pending refund. `request` sends it with its own key: the network starts it, or repeats its answer. `enquire`
 * only asks for its state, once the network has confirmed it. After an enquiry without an answer the request is sent again.
 */
export function nextCall({ pendingReason }: Refund): 'enquire' | 'request' {
  return pendingReason === 'processing' || pendingReason === 'insufficient_funds' ? 'enquire' : 'request'
}

/** The pending refunds whose next call is due. */
export function dueRefunds(transaction: Pick<Transaction, 'refunds'>, now: Date): Refund[] {
  return refundsOf(transaction).filter(({ status, dueAt }) => status === 'pending' && dueAt !== null && dueAt <= now)
}
