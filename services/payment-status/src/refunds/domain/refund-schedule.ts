import { type Refund, refundsOf, type Transaction } from '../../payments/index.ts'

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
