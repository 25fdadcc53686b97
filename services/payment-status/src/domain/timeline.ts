import { formatPaise, inTimelineOrder, type TimelineDetail, type TimelineEvent } from '@gateway/contracts'
import { failureCodeOf } from './failure-codes.ts'
import { statusAt } from './past-events.ts'
import type { Attempt, Reversal, Transaction } from './transaction.ts'

/**
 * What happened to a payment, from what is stored about it.
 *
 * @param timeOf when a status change happened, by its sequence
 */
export function timelineOf(transaction: Transaction, timeOf: (sequence: number) => Date): TimelineEvent[] {
  const { order, createdAt, expiresAt } = transaction
  const amount = formatPaise(order.amountPaise)
  return inTimelineOrder([
    event(createdAt, 'order.created', { order_id: order.orderId, amount, expires_at: expiresAt.toISOString() }),
    ...transaction.attempts.flatMap(attemptEvents),
    ...statusEvents(transaction, timeOf),
    ...transaction.reversals.flatMap(reversalEvents),
  ])
}

function attemptEvents(attempt: Attempt): TimelineEvent[] {
  const { id: attempt_id, method, reference, rrn = null, failureReason, failureCode = null } = attempt
  const started = event(attempt.startedAt, 'attempt.started', { attempt_id, method })
  if (attempt.endedAt === null) return [started]
  const why = attempt.status === 'failed' ? { failure_reason: failureReason, failure_code: failureCode } : {}
  return [started, event(attempt.endedAt, `attempt.${attempt.status}`, { attempt_id, method, reference, rrn, ...why })]
}

function statusEvents(transaction: Transaction, timeOf: (sequence: number) => Date): TimelineEvent[] {
  return Array.from({ length: transaction.sequence }, (_, index) => {
    const sequence = index + 1
    const status = statusAt(transaction, sequence)
    const why = status === 'Failed' ? { failure_reason: transaction.failureReason, failure_code: failureCodeOf(transaction) } : {}
    return event(timeOf(sequence), 'status.changed', { status, ...why }, sequence)
  })
}

function reversalEvents(reversal: Reversal): TimelineEvent[] {
  const { reference, amountPaise, reason, status, asked } = reversal
  const detail = { reference, amount: formatPaise(amountPaise), reason }
  const requested = event(reversal.requestedAt, 'reversal.requested', detail)
  if (reversal.completedAt === null) return [requested]
  return [requested, event(reversal.completedAt, `reversal.${status}`, { ...detail, requests: asked })]
}

function event(at: Date, kind: string, detail: TimelineDetail, sequence: number | null = null): TimelineEvent {
  return { at: at.toISOString(), kind, source: 'payments', sequence, detail }
}
