import {
  isFinal,
  type RefundStatusChanged,
  type ReversalStatusChanged,
  type TransactionStatus,
  type TransactionStatusChanged,
} from '@gateway/contracts'
import {
  refundsOf,
  reversalStatusChanged,
  statusChanged,
  type PaymentDetails,
  type Refund,
  type Reversal,
  type Transaction,
  refundStatusChanged,
} from '../../payments/index.ts'

/**
 * The events of every status change so far, as they were published but for the copy of the payment, which is always the present one.
 * They can be rebuilt from the transaction as it is now: it keeps what the event of `Pending` said about the payment, and no field
 * of the final event changes after it.
 */
export function pastEvents(transaction: Transaction): TransactionStatusChanged[] {
  return changesOf(transaction).map(({ sequence, status, at }) => {
    const then = { ...transaction, sequence, status, updated_at: at }
    if (isFinal(status)) return statusChanged(then)
    const { method, rrn, payer } = (status === 'Pending' ? transaction.as_pending : null) ?? NOTHING
    return statusChanged({ ...then, method, rrn, payer, failure_reason: null })
  })
}

const NOTHING: PaymentDetails = { method: null, rrn: null, payer: null }

type Changed = Pick<Transaction, 'status' | 'sequence' | 'created_at' | 'as_pending' | 'final_at'>

export interface StatusChange {
  readonly sequence: number
  readonly status: TransactionStatus
  readonly at: Date
}

/** Every status change so far. The first status is `Initiate`, and only `Pending` lies between it and a final one (design, section 4). */
export function changesOf({ status: last, sequence: count, created_at, as_pending, final_at }: Changed): StatusChange[] {
  return Array.from({ length: count }, (_, index) => {
    const sequence = index + 1
    if (sequence === 1) return { sequence, status: 'Initiate', at: created_at }
    const status = sequence === count ? last : 'Pending'
    return { sequence, status, at: (isFinal(status) ? final_at : as_pending?.at) ?? created_at }
  })
}

/** The events of all refunds and reversals so far, as they were published. Their times are stored with each refund and reversal. */
export function pastMoneyEvents(transaction: Transaction): (RefundStatusChanged | ReversalStatusChanged)[] {
  const reversals = transaction.reversals.flatMap((reversal) =>
    reversalStates(reversal).map(({ at, state }) => reversalStatusChanged(transaction, state, at)),
  )
  return [...pastRefundEvents(transaction), ...reversals]
}

/** Each event contains the sum that was refunded by then. So all states of all refunds are replayed in the order of their times. */
function pastRefundEvents(transaction: Transaction): RefundStatusChanged[] {
  const states = refundsOf(transaction)
    .flatMap(refundStates)
    .toSorted((one, other) => one.updated_at.getTime() - other.updated_at.getTime() || one.n - other.n)
  const present = new Map<number, Refund>()
  return states.map((refund) => {
    present.set(refund.n, refund)
    return refundStatusChanged({ ...transaction, refunds: [...present.values()] }, refund)
  })
}

/** The refund as each of its status changes left it. */
function refundStates(refund: Refund): Refund[] {
  const { created_at, completed_at, returned_at } = refund
  const requested: Refund = {
    ...{ ...refund, status: 'pending', sequence: 1, pending_reason: 'queued' },
    ...{ failure_code: null, rrn: null, updated_at: created_at, completed_at: null },
  }
  if (!completed_at) return [requested]
  const status = refund.status === 'failed' ? 'failed' : 'succeeded'
  const ended: Refund = { ...refund, status, sequence: 2, updated_at: completed_at }
  return returned_at ? [requested, ended, { ...refund, updated_at: returned_at }] : [requested, ended]
}

function reversalStates(reversal: Reversal): { at: Date; state: Reversal }[] {
  const { requested_at, completed_at } = reversal
  const requested = { at: requested_at, state: { ...reversal, status: 'pending', completed_at: null } as const }
  return completed_at ? [requested, { at: completed_at, state: reversal }] : [requested]
}
