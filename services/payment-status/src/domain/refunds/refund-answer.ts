import { assertNever, parseAmount, type RefundReport, type RefundStatus } from '@gateway/contracts'
import { codesOf } from '../failure-codes.ts'
import { after, delayMs, type Timing } from '../schedule.ts'
import type { Alert, Decision, Transaction } from '../transaction.ts'
import { amend, unchanged, withNextVersion } from '../transition.ts'
import { refundStatusChanged } from './refund-event.ts'
import type { Refund } from './refund.ts'
import { refundsOf, replaceRefund } from './refundable.ts'

/**
 * What the network says about a refund. `unclear` stands for everything that decides nothing: a timeout, a 404, a 500, an empty
 * enquiry, an unreadable body. Only a clear `failed` releases the money for other refunds.
 */
export type RefundAnswer = RefundReport | 'unclear'

/** From this age on operators see a pending refund. It stays pending, and the gateway keeps asking the network. */
export const REFUND_OVERDUE_MS = 7 * 24 * 60 * 60 * 1000

/** Applies the network's answer to a request or an enquiry. */
export function applyRefundAnswer(before: Transaction, n: number, answer: RefundAnswer, now: Date, timing: Timing): Decision {
  const refund = refundsOf(before).find((candidate) => candidate.n === n)
  if (!refund) return unchanged(before)
  if (refund.status !== 'pending') return answer === 'unclear' ? unchanged(before) : takeLater(before, refund, answer, now)
  const asked = { ...refund, asked: refund.asked + 1 }
  if (isClear(answer, refund) && answer.status !== 'pending') return end(before, asked, answer, now)
  const pendingReason = isClear(answer, refund) ? (answer.pending_reason ?? 'processing') : 'no_answer'
  const waiting: Refund = {
    ...asked,
    pendingReason,
    updatedAt: pendingReason === refund.pendingReason ? refund.updatedAt : now,
    dueAt: nextDueAt(refund, now, timing),
  }
  const isOverdueNow = overdueAt(refund) <= now && (refund.dueAt === null || refund.dueAt <= overdueAt(refund))
  return withRefund(before, waiting, now, isOverdueNow ? ['refund_overdue'] : [])
}

/** Applies a callback. It may come before any answer, late, twice or out of order. */
export function applyRefundReport(before: Transaction, n: number, report: RefundReport, now: Date): Decision {
  const refund = refundsOf(before).find((candidate) => candidate.n === n)
  if (!refund) return unchanged(before)
  if (!isClear(report, refund)) return contradiction(before, now)
  if (refund.status !== 'pending') return takeLater(before, refund, report, now)
  if (report.status !== 'pending') return end(before, refund, report, now)
  const pendingReason = report.pending_reason ?? 'processing'
  return pendingReason === refund.pendingReason
    ? unchanged(before)
    : withRefund(before, { ...refund, pendingReason, updatedAt: now }, now)
}

/** A report about another amount says nothing about this refund. */
function isClear(answer: RefundAnswer, { amountPaise }: Refund): answer is RefundReport {
  return answer !== 'unclear' && parseAmount(answer.amount) === amountPaise
}

function end(before: Transaction, refund: Refund, report: RefundReport, now: Date): Decision {
  const told = {
    pendingReason: null,
    rrn: report.rrn ?? refund.rrn,
    dueAt: null,
    updatedAt: now,
    sequence: refund.sequence + 1,
  } as const
  switch (report.status) {
    case 'pending':
      return unchanged(before)
    case 'failed':
      return changed(before, { ...refund, ...told, status: 'failed', completedAt: now, ...codesOf(report) }, now)
    case 'succeeded':
      return changed(before, { ...refund, ...told, status: 'succeeded', completedAt: now }, now)
    case 'returned': {
      // The refund succeeded before its money came back, so merchants get the event of each status.
      const succeeded: Refund = { ...refund, ...told, status: 'succeeded', completedAt: now }
      const first = changed(before, succeeded, now)
      return giveBack(first, succeeded, now, before)
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
function takeLater(before: Transaction, refund: Refund, report: RefundReport, now: Date): Decision {
  if (!isClear(report, refund) || !AGREES[refund.status].includes(report.status)) return contradiction(before, now)
  return refund.status === 'succeeded' && report.status === 'returned'
    ? giveBack(unchanged(before), refund, now, before)
    : unchanged(before)
}

/** Changes only the version: alerts are raised by writes. */
function contradiction(before: Transaction, now: Date): Decision {
  return withNextVersion(before, amend(unchanged(before), {}, ['contradictory_refund']), now)
}

function giveBack(decision: Decision, refund: Refund, now: Date, before: Transaction): Decision {
  const returned: Refund = { ...refund, status: 'returned', sequence: refund.sequence + 1, returnedAt: now, updatedAt: now }
  const next = amend(decision, { refunds: replaceRefund(decision.transaction, returned) })
  const moneyEvents = [...(decision.moneyEvents ?? []), refundStatusChanged(next.transaction, returned)]
  return withNextVersion(before, { ...next, moneyEvents }, now)
}

function changed(before: Transaction, refund: Refund, now: Date): Decision {
  const decision = withRefund(before, refund, now)
  return { ...decision, moneyEvents: [refundStatusChanged(decision.transaction, refund)] }
}

function withRefund(before: Transaction, refund: Refund, now: Date, alerts: readonly Alert[] = []): Decision {
  return withNextVersion(before, amend(unchanged(before), { refunds: replaceRefund(before, refund) }, alerts), now)
}

function overdueAt({ requestedAt }: Refund): Date {
  return after(requestedAt, REFUND_OVERDUE_MS)
}

/** When the network is asked next. One call is due exactly when the refund becomes overdue: it raises the alert, once. */
function nextDueAt(refund: Refund, now: Date, timing: Timing): Date {
  const next = after(now, delayMs(timing.refundDelaysMs, refund.asked))
  const overdue = overdueAt(refund)
  return now < overdue && next > overdue ? overdue : next
}
