import { formatPaise, formatRefundId, inTimelineOrder, type TimelineDetail, type TimelineEvent } from '@gateway/contracts'
import {
  type AnsweredEnquiry,
  type Attempt,
  failureCodeOf,
  type Refund,
  refundsOf,
  type Reversal,
  type SeenReport,
  type Transaction,
} from '../../payments/index.ts'
import { changesOf } from './past-events.ts'

/** What happened to a payment, from what is stored about it. */
export function timelineOf(transaction: Transaction): TimelineEvent[] {
  const { order, created_at, expires_at } = transaction
  const amount = formatPaise(order.amount_paise)
  return inTimelineOrder([
    event(created_at, 'order.created', { order_id: order.order_id, amount, expires_at: expires_at.toISOString() }),
    ...transaction.attempts.flatMap(attemptEvents),
    ...transaction.seen_reports.map(reportEvent),
    ...(transaction.answers ?? []).map(enquiryEvent),
    ...statusEvents(transaction),
    ...transaction.reversals.flatMap(reversalEvents),
    ...refundsOf(transaction).flatMap((refund) => refundEvents(transaction.id, refund)),
  ])
}

function attemptEvents({ id: attempt_id, ...attempt }: Attempt): TimelineEvent[] {
  const { method, status, reference, rrn, failure_reason, failure_code, started_at, ended_at } = attempt
  const started = event(started_at, 'attempt.started', { attempt_id, method })
  if (ended_at === null) return [started]
  const why = status === 'failed' ? { failure_reason, failure_code } : {}
  return [started, event(ended_at, `attempt.${status}`, { attempt_id, method, reference, rrn, ...why })]
}

/** A repeated report is not stored again. */
function reportEvent({ at, by, reference, outcome, amount_paise }: SeenReport): TimelineEvent {
  return event(at, 'report.received', { by, reference, outcome, amount: formatPaise(amount_paise) })
}

function enquiryEvent({ at, payments, why }: AnsweredEnquiry): TimelineEvent {
  return event(at, 'enquiry.answered', {
    ...(payments === null ? {} : { payments_known: payments }),
    ...(why === null ? {} : { unclear: why }),
  })
}

function statusEvents(transaction: Transaction): TimelineEvent[] {
  return changesOf(transaction).map(({ sequence, status, at }) => {
    const why =
      status === 'Failed' ? { failure_reason: transaction.failure_reason, failure_code: failureCodeOf(transaction) } : {}
    return event(at, 'status.changed', { status, ...why }, sequence)
  })
}

function reversalEvents(reversal: Reversal): TimelineEvent[] {
  const { reference, amount_paise, reason, status, rrn, requests, requested_at, completed_at } = reversal
  const detail = { reference, amount: formatPaise(amount_paise), reason }
  const requested = event(requested_at, 'reversal.requested', detail)
  return completed_at ? [requested, event(completed_at, `reversal.${status}`, { ...detail, rrn, requests })] : [requested]
}

/** Each has the number of the refund's change. A returned refund has succeeded before. */
function refundEvents(transactionId: string, refund: Refund): TimelineEvent[] {
  const { n, refund_id, amount_paise, reason, status, failure_code, rrn, created_at, completed_at, returned_at } = refund
  const detail = { id: formatRefundId(transactionId, n), refund_id, amount: formatPaise(amount_paise) }
  const ending = status === 'failed' ? { ...detail, failure_code } : { ...detail, rrn }
  const ended = status === 'failed' ? 'refund.failed' : 'refund.succeeded'
  return [
    event(created_at, 'refund.requested', { ...detail, reason }, 1),
    ...(completed_at ? [event(completed_at, ended, ending, 2)] : []),
    ...(returned_at ? [event(returned_at, 'refund.returned', detail, 3)] : []),
  ]
}

function event(at: Date, kind: string, detail: TimelineDetail, sequence: number | null = null): TimelineEvent {
  return { at: at.toISOString(), kind, source: 'payments', sequence, detail }
}
