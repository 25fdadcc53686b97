import { formatPaise, formatRefundId, REFUND_STATUS_CHANGED, type RefundStatusChanged, type RefundView } from '@gateway/contracts'
import type { Transaction } from '../transaction.ts'
import type { Refund } from './refund.ts'
import { acceptedCapture, refundedPaise } from './refundable.ts'

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
