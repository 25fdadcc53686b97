import type { RefundStatusChanged, ReversalStatusChanged } from '@gateway/contracts'
import { refundStatusChanged } from '../../refunds/index.ts'
import { type Refund, refundsOf, type Reversal, reversalStatusChanged, type Transaction } from '../../payments/index.ts'

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
    .toSorted((one, other) => one.updatedAt.getTime() - other.updatedAt.getTime() || one.n - other.n)
  const present = new Map<number, Refund>()
  return states.map((refund) => {
    present.set(refund.n, refund)
    return refundStatusChanged({ ...transaction, refunds: [...present.values()] }, refund)
  })
}

/** The refund as each of its status changes left it. */
function refundStates(refund: Refund): Refund[] {
  const { requestedAt, completedAt, returnedAt } = refund
  const requested: Refund = {
    ...refund,
    status: 'pending',
    sequence: 1,
    pendingReason: 'queued',
    failureCode: null,
    rrn: null,
    updatedAt: requestedAt,
    completedAt: null,
  }
  if (!completedAt) return [requested]
  const status = refund.status === 'failed' ? 'failed' : 'succeeded'
  const ended: Refund = { ...refund, status, sequence: 2, updatedAt: completedAt }
  return returnedAt ? [requested, ended, { ...refund, updatedAt: returnedAt }] : [requested, ended]
}

function reversalStates(reversal: Reversal): { at: Date; state: Reversal }[] {
  const { requestedAt, completedAt } = reversal
  const requested = { at: requestedAt, state: { ...reversal, status: 'pending', completedAt: null } as const }
  return completedAt ? [requested, { at: completedAt, state: reversal }] : [requested]
}
