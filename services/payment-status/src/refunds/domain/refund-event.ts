import { REFUND_STATUS_CHANGED, type RefundStatusChanged } from '@gateway/contracts'
import { acceptedCapture, type Refund, refundedPaise, toRefundView, type Transaction } from '../../payments/index.ts'

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
