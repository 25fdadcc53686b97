import {
  formatPaise,
  formatRefundId,
  refundViewSchema,
  REFUND_STATUS_CHANGED,
  shownAs,
  type RefundStatusChanged,
  type RefundView,
} from '@gateway/contracts'
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
  return (acceptedCapture(transaction)?.amount_paise ?? 0) - sumOf(bound)
}

function sumOf(refunds: readonly Refund[]): number {
  return refunds.reduce((sum, { amount_paise }) => sum + amount_paise, 0)
}

const shownRefund = shownAs<RefundView>(refundViewSchema)

/** A refund as merchants see it. */
export function toRefundView({ id, order }: Pick<Transaction, 'id' | 'order'>, refund: Refund): RefundView {
  const ids = { id: formatRefundId(id, refund.n), order_id: order.order_id, transaction_id: id }
  return shownRefund({ ...refund, ...ids, amount: formatPaise(refund.amount_paise), currency: 'INR' })
}

/** The event of a refund's present status. `transaction` contains the refund in that status. */
export function refundStatusChanged(transaction: Transaction, refund: Refund): RefundStatusChanged {
  const { order, method } = transaction
  const view = toRefundView(transaction, refund)
  const capture = acceptedCapture(transaction)
  return {
    id: `${view.id}.${refund.sequence}`,
    type: REFUND_STATUS_CHANGED,
    version: 1,
    occurred_at: view.updated_at,
    correlation_id: order.correlation_id,
    data: {
      ...{ ...view, merchant_id: order.merchant.id, method },
      reference: capture?.reference ?? '',
      amount_paise: refund.amount_paise,
      captured_paise: capture?.amount_paise ?? 0,
      refunded_paise: refundedPaise(transaction),
    },
  }
}

/**
 * The next call about a pending refund. `request` sends it with its own key: the network starts it, or repeats its answer. `enquire`
 * only asks for its state, once the network has confirmed it. After an enquiry without an answer the request is sent again.
 */
export function nextCall({ pending_reason }: Refund): 'enquire' | 'request' {
  return pending_reason === 'processing' || pending_reason === 'insufficient_funds' ? 'enquire' : 'request'
}

/** The pending refunds whose next call is due. */
export function dueRefunds(transaction: Pick<Transaction, 'refunds'>, now: Date): Refund[] {
  return refundsOf(transaction).filter(({ status, due_at }) => status === 'pending' && due_at !== null && due_at <= now)
}
