import type { Transaction } from '../transaction.ts'
import type { Refund } from './refund.ts'
import { refundsOf } from './refundable.ts'

/**
 * How the network is asked next. `request`: with the refund's own key, which starts it or repeats the answer. `enquire`: the network
 * has confirmed that it knows the refund. An enquiry without an answer leads back to the request.
 */
export function nextCall({ pendingReason }: Refund): 'enquire' | 'request' {
  return pendingReason === 'processing' || pendingReason === 'insufficient_funds' ? 'enquire' : 'request'
}

/** The pending refunds about which the network is to be asked now. */
export function dueRefunds(transaction: Pick<Transaction, 'refunds'>, now: Date): Refund[] {
  return refundsOf(transaction).filter(({ status, dueAt }) => status === 'pending' && dueAt !== null && dueAt <= now)
}

/** When a refund of the transaction is due next; `undefined` when none is pending. */
export function refundsDueAt(transaction: Pick<Transaction, 'refunds'>): Date | undefined {
  const times = refundsOf(transaction).flatMap(({ dueAt }) => (dueAt === null ? [] : [dueAt.getTime()]))
  return times.length === 0 ? undefined : new Date(Math.min(...times))
}
