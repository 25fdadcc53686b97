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
  const { order, createdAt, expiresAt } = transaction
  const amount = formatPaise(order.amountPaise)
  return inTimelineOrder([
    event(createdAt, 'order.created', { order_id: order.orderId, amount, expires_at: expiresAt.toISOString() }),
    ...transaction.attempts.flatMap(attemptEvents),
    ...transaction.seenReports.map(reportEvent),
    ...(transaction.answers ?? []).map(enquiryEvent),
    ...statusEvents(transaction),
    ...transaction.reversals.flatMap(reversalEvents),
    ...refundsOf(transaction).flatMap((refund) => refundEvents(transaction.id, refund)),
  ])
}

function attemptEvents(attempt: Attempt): TimelineEvent[] {
  const { id: attempt_id, method, reference, rrn, failureReason, failureCode } = attempt
  const started = event(attempt.startedAt, 'attempt.started', { attempt_id, method })
  if (attempt.endedAt === null) return [started]
  const why = attempt.status === 'failed' ? { failure_reason: failureReason, failure_code: failureCode } : {}
  return [started, event(attempt.endedAt, `attempt.${attempt.status}`, { attempt_id, method, reference, rrn, ...why })]
}

/** A repeated report is not stored again. */
function reportEvent({ at, by, reference, outcome, amountPaise }: SeenReport): TimelineEvent {
  return event(at, 'report.received', { by, reference, outcome, amount: formatPaise(amountPaise) })
}

function enquiryEvent({ at, payments, why }: AnsweredEnquiry): TimelineEvent {
  return event(at, 'enquiry.answered', {
    ...(payments === null ? {} : { payments_known: payments }),
    ...(why === null ? {} : { unclear: why }),
  })
}

function statusEvents(transaction: Transaction): TimelineEvent[] {
  return changesOf(transaction).map(({ sequence, status, at }) => {
    const why = status === 'Failed' ? { failure_reason: transaction.failureReason, failure_code: failureCodeOf(transaction) } : {}
    return event(at, 'status.changed', { status, ...why }, sequence)
  })
}

function reversalEvents(reversal: Reversal): TimelineEvent[] {
  const { reference, amountPaise, reason, status, rrn, requests } = reversal
  const detail = { reference, amount: formatPaise(amountPaise), reason }
  const requested = event(reversal.requestedAt, 'reversal.requested', detail)
  if (reversal.completedAt === null) return [requested]
  return [requested, event(reversal.completedAt, `reversal.${status}`, { ...detail, rrn, requests })]
}

/** Each has the number of the refund's change. A returned refund has succeeded before. */
function refundEvents(transactionId: string, refund: Refund): TimelineEvent[] {
  const { requestedAt, completedAt, returnedAt = null, failureCode, rrn } = refund
  const id = formatRefundId(transactionId, refund.n)
  const detail = { id, refund_id: refund.refundId, amount: formatPaise(refund.amountPaise) }
  const isFailed = refund.status === 'failed'
  return [
    event(requestedAt, 'refund.requested', { ...detail, reason: refund.reason }, 1),
    ...(completedAt === null
      ? []
      : [
          event(
            completedAt,
            isFailed ? 'refund.failed' : 'refund.succeeded',
            { ...detail, ...(isFailed ? { failure_code: failureCode } : { rrn }) },
            2,
          ),
        ]),
    ...(returnedAt === null ? [] : [event(returnedAt, 'refund.returned', detail, 3)]),
  ]
}

function event(at: Date, kind: string, detail: TimelineDetail, sequence: number | null = null): TimelineEvent {
  return { at: at.toISOString(), kind, source: 'payments', sequence, detail }
}
