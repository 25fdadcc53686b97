import { assertNever, parseAmount, type RefundReport, type RefundStatus } from '@gateway/contracts'
import {
  after,
  type Alert,
  amend,
  codesOf,
  type Decision,
  delayMs,
  moved,
  type Refund,
  REFUND_MOVES,
  refundsOf,
  refundStatusChanged,
  type Timing,
  type Transaction,
  unchanged,
} from '../../payments/index.ts'

/** What the network says about a refund; `unclear` decides nothing. Only a clear `failed` frees the money for other refunds. */
export type RefundAnswer = RefundReport | 'unclear'

/** From this age on operators see a pending refund. It stays pending, and the gateway keeps asking the network. */
export const REFUND_OVERDUE_MS = 7 * 24 * 60 * 60 * 1000

/** Applies the network's answers to requests and enquiries, each about one refund of the payment, as one decision. */
export function applyRefundAnswers(
  before: Transaction,
  answers: readonly { readonly n: number; readonly answer: RefundAnswer }[],
  now: Date,
  timing: Timing,
): Decision {
  return answers.reduce((decision, { n, answer }) => takeAnswer(decision, n, answer, now, timing), unchanged(before))
}

function takeAnswer(decision: Decision, n: number, answer: RefundAnswer, now: Date, timing: Timing): Decision {
  const refund = refundNumber(decision, n)
  if (!refund) return decision
  if (refund.status !== 'pending') return answer === 'unclear' ? decision : takeLater(decision, refund, answer, now)
  const answered = { ...refund, requests: refund.requests + 1 }
  if (isClear(answer, refund) && answer.status !== 'pending') return end(decision, answered, answer, now)
  const pending_reason = isClear(answer, refund) ? (answer.pending_reason ?? 'processing') : 'no_answer'
  const waiting: Refund = {
    ...answered,
    pending_reason,
    updated_at: pending_reason === refund.pending_reason ? refund.updated_at : now,
    due_at: nextDueAt(refund, now, timing),
  }
  const isOverdueNow = overdueAt(refund) <= now && (refund.due_at === null || refund.due_at <= overdueAt(refund))
  return withRefund(decision, waiting, now, isOverdueNow ? ['refund_overdue'] : [])
}

/** Applies a callback. It may come before any answer, late, twice or out of order. */
export function applyRefundReport(before: Transaction, n: number, report: RefundReport, now: Date): Decision {
  const decision = unchanged(before)
  const refund = refundNumber(decision, n)
  if (!refund) return decision
  if (!isClear(report, refund)) return amend(decision, now, {}, ['contradictory_refund'])
  if (refund.status !== 'pending') return takeLater(decision, refund, report, now)
  if (report.status !== 'pending') return end(decision, refund, report, now)
  const pending_reason = report.pending_reason ?? 'processing'
  return pending_reason === refund.pending_reason
    ? decision
    : withRefund(decision, { ...refund, pending_reason, updated_at: now }, now)
}

/** A report about another amount says nothing about this refund. */
function isClear(answer: RefundAnswer, { amount_paise }: Refund): answer is RefundReport {
  return answer !== 'unclear' && parseAmount(answer.amount) === amount_paise
}

function end(decision: Decision, refund: Refund, report: RefundReport, now: Date): Decision {
  const ended = { pending_reason: null, rrn: report.rrn ?? refund.rrn, due_at: null, completed_at: now } as const
  switch (report.status) {
    case 'pending':
      return decision
    case 'failed':
      return move(decision, refund, 'failed', now, { ...ended, ...codesOf(report) })
    case 'succeeded':
      return move(decision, refund, 'succeeded', now, ended)
    case 'returned': {
      // The refund succeeded before its money came back, so merchants get the event of each status.
      const succeeded = move(decision, refund, 'succeeded', now, ended)
      return giveBack(succeeded, refundNumber(succeeded, refund.n) ?? refund, now)
    }
    default:
      return assertNever(report.status)
  }
}

/** Reports that agree with a refund that has ended. Any other report needs a person: the money may have moved twice, or not at all. */
const AGREES: Readonly<Record<RefundStatus, readonly RefundStatus[]>> = {
  pending: [],
  succeeded: ['pending', 'succeeded', 'returned'],
  failed: ['pending', 'failed'],
  returned: ['pending', 'succeeded', 'returned'],
}

/** Applies a report about a refund that has ended. Only `succeeded → returned` changes it. */
function takeLater(decision: Decision, refund: Refund, report: RefundReport, now: Date): Decision {
  if (!isClear(report, refund) || !AGREES[refund.status].includes(report.status))
    return amend(decision, now, {}, ['contradictory_refund'])
  return refund.status === 'succeeded' && report.status === 'returned' ? giveBack(decision, refund, now) : decision
}

function giveBack(decision: Decision, refund: Refund, now: Date): Decision {
  return move(decision, refund, 'returned', now, { returned_at: now })
}

/** Changes the status, with its event. */
function move(decision: Decision, refund: Refund, status: RefundStatus, now: Date, changes: Partial<Refund>): Decision {
  const sequence = refund.sequence + 1
  const next: Refund = { ...refund, ...changes, status: moved(REFUND_MOVES, refund.status, status), sequence, updated_at: now }
  const changed = withRefund(decision, next, now)
  return { ...changed, moneyEvents: [...changed.moneyEvents, refundStatusChanged(changed.transaction, next)] }
}

function withRefund(decision: Decision, refund: Refund, now: Date, alerts: readonly Alert[] = []): Decision {
  const refunds = refundsOf(decision.transaction).map((other) => (other.n === refund.n ? refund : other))
  return amend(decision, now, { refunds }, alerts)
}

function refundNumber({ transaction }: Decision, n: number): Refund | undefined {
  return refundsOf(transaction).find((refund) => refund.n === n)
}

function overdueAt({ created_at }: Refund): Date {
  return after(created_at, REFUND_OVERDUE_MS)
}

/** When the network is asked next. One call is due exactly when the refund becomes overdue: it raises the alert, once. */
function nextDueAt(refund: Refund, now: Date, timing: Timing): Date {
  const next = after(now, delayMs(timing.refundDelaysMs, refund.requests))
  const overdue = overdueAt(refund)
  return now < overdue && next > overdue ? overdue : next
}
