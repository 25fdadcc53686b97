import { eventId, formatRefundId, type RefundTransition, type Transition, type TransitionsPage } from '@gateway/contracts'
import type { ListHistories, TransactionHistory, TransitionFilter } from '../persistence/transition-list.ts'

/** A page of all committed status changes, for the audit of webhooks. */
export type ExportTransitions = (filter: TransitionFilter) => Promise<TransitionsPage>

/** A page ends with the transaction that makes it this long: one with twenty refunds has more than sixty changes. */
const MAX_CHANGES = 10_000

export function makeExportTransitions(list: ListHistories): ExportTransitions {
  return async (filter) => {
    const found = await list(filter)
    const [transitions, refunds]: [Transition[], RefundTransition[]] = [[], []]
    for (const history of found) {
      transitions.push(...transitionsOf(history))
      refunds.push(...refundsOf(history))
      if (transitions.length + refunds.length >= MAX_CHANGES) return { transitions, refunds, next_cursor: history._id }
    }
    const isLast = found.length < filter.limit
    return { transitions, refunds, next_cursor: isLast ? null : (found.at(-1)?._id ?? null) }
  }
}

function transitionsOf(history: TransactionHistory): Transition[] {
  const { _id: transactionId, order, status, sequence, finalAt, updatedAt, outbox, transitions = [] } = history
  const unpublished = new Set(outbox.map(({ id }) => id))
  const times = new Map(transitions.map((transition) => [transition.sequence, transition.at]))
  // The sequence has no gaps, so it counts the changes, also in documents that are older than the list of times.
  return Array.from({ length: sequence }, (_, index) => ({
    transaction_id: transactionId,
    sequence: index + 1,
    merchant_id: order.merchant.id,
    at: (times.get(index + 1) ?? finalAt ?? updatedAt).toISOString(),
    published: !unpublished.has(eventId(transactionId, index + 1)),
    ...(index + 1 === sequence ? { status } : {}),
  }))
}

function refundsOf({ _id: transactionId, order, outbox, refunds }: TransactionHistory): RefundTransition[] {
  const unpublished = new Set(outbox.map(({ id }) => id))
  return (refunds ?? []).flatMap(({ n, sequence: last, status, requestedAt, completedAt, updatedAt }) => {
    const refundId = formatRefundId(transactionId, n)
    const times = [requestedAt, completedAt ?? updatedAt, updatedAt]
    return Array.from({ length: last }, (_, index) => ({
      refund_id: refundId,
      sequence: index + 1,
      merchant_id: order.merchant.id,
      created_at: requestedAt.toISOString(),
      at: (times[index] ?? updatedAt).toISOString(),
      published: !unpublished.has(`${refundId}.${index + 1}`),
      ...(index + 1 === last ? { status } : {}),
    }))
  })
}
