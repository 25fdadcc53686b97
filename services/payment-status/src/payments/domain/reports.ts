import { assertNever, FAILURE_REASONS, isFinal, parseAmount, type FailureReason, type NetworkReport } from '@gateway/contracts'
import { attemptFor, detailsAfter, endAttempt, replaceAttempt } from './attempts.ts'
import { codesOf } from './failure-codes.ts'
import { requestReversal } from './reversals.ts'
import { finalEnquiry, pendingEnquiry, type Timing } from './schedule.ts'
import { isUnresolved } from './states.ts'
import {
  MAX_STORED_PAYMENTS,
  type Attempt,
  type Decision,
  type PaymentDetails,
  type ReportedBy,
  type SeenReport,
  type Transaction,
} from './transaction.ts'
import { amend, moveTo, unchanged } from './transition.ts'

/** How many reports are remembered. Forgetting the oldest costs at most one needless write when it is repeated. */
const MAX_REMEMBERED = 100

/** Applies a callback. Networks repeat, reorder and contradict reports: none is an error, and each has its effect once. */
export function applyReport(before: Transaction, report: NetworkReport, now: Date, timing: Timing): Decision {
  return takeReport(unchanged(before), report, 'callback', now, timing)
}

/** Applies one report within a larger decision, such as an enquiry's answer. */
export function takeReport(decision: Decision, report: NetworkReport, by: ReportedBy, now: Date, timing: Timing): Decision {
  const { reference, outcome } = report
  const seen = { reference, outcome, amount_paise: parseAmount(report.amount) ?? 0, at: now, by } satisfies SeenReport
  if (decision.transaction.seen_reports.some((other) => isSame(other, seen))) return decision
  if (isExcess(decision.transaction, report)) return takeExcess(decision, report, seen.amount_paise)

  const remembered = amend(decision, now, { seen_reports: [...decision.transaction.seen_reports, seen].slice(-MAX_REMEMBERED) })
  switch (report.outcome) {
    case 'pending':
      return takePending(remembered, report, now, timing)
    case 'failed':
      return takeFailed(remembered, report, now, timing)
    case 'success':
      return takeSuccess(remembered, report, seen.amount_paise, now, timing)
    default:
      return assertNever(report.outcome)
  }
}

/** True for a payment beyond `MAX_STORED_PAYMENTS`. The accepted one is always stored. */
function isExcess({ attempts, status, order }: Transaction, { reference, attempt_id, outcome, amount }: NetworkReport): boolean {
  if (attempts.length < MAX_STORED_PAYMENTS) return false
  if (attempts.some((known) => known.reference === reference || (known.id === attempt_id && known.reference === null)))
    return false
  return outcome !== 'success' || isFinal(status) || parseAmount(amount) !== order.amount_paise
}

/** Stores nothing. Only a capture needs action: its money goes back. A pending payment is reported again when it is captured. */
function takeExcess(decision: Decision, { reference, outcome, amount }: NetworkReport, amount_paise: number): Decision {
  if (outcome !== 'success') return decision
  const { status, order } = decision.transaction
  const whole = status === 'Success' ? 'duplicate' : 'late'
  const reason = parseAmount(amount) === order.amount_paise ? whole : 'amount_mismatch'
  return { ...decision, excess: [...decision.excess, { reference, amount_paise, reason }] }
}

function takePending(decision: Decision, report: NetworkReport, now: Date, timing: Timing): Decision {
  const { transaction } = decision
  const attempt = attemptFor(transaction, report, now)
  // The payment's end is known already.
  if (isFinal(transaction.status) || !isUnresolved(attempt)) return decision
  const changes = {
    ...detailsAfter(transaction, attempt),
    attempts: replaceAttempt(transaction, { ...attempt, reference: report.reference }),
    enquiry: transaction.enquiry ?? pendingEnquiry(now, timing, report.method),
  }
  return transaction.status === 'Initiate' ? moveTo(decision, 'Pending', now, changes) : amend(decision, now, changes)
}

function takeFailed(decision: Decision, report: NetworkReport, now: Date, timing: Timing): Decision {
  const { transaction } = decision
  if (transaction.captures.some(({ reference }) => reference === report.reference))
    return amend(decision, now, {}, ['contradictory_report'])
  if (isFinal(transaction.status)) return decision
  const attempt = { ...attemptFor(transaction, report, now), ...codesOf(report) }
  return decline(decision, attempt, report.reference, reasonOf(report), now, timing)
}

function takeSuccess(decision: Decision, report: NetworkReport, amount_paise: number, now: Date, timing: Timing): Decision {
  const { transaction } = decision
  const { reference } = report
  // One reference is one capture; whether it is kept is decided once.
  if (transaction.captures.some((capture) => capture.reference === reference))
    return amend(decision, now, {}, ['contradictory_report'])

  const attempt = attemptFor(transaction, report, now)
  if (amount_paise !== transaction.order.amount_paise) {
    const reversed = requestReversal(decision, { reference, amount_paise, reason: 'amount_mismatch' }, now)
    return isFinal(transaction.status)
      ? withAttempt(reversed, endAttempt({ ...attempt, reference }, 'reversed', 'amount_mismatch', now), now)
      : decline(reversed, attempt, reference, 'amount_mismatch', now, timing)
  }
  if (isFinal(transaction.status)) {
    const reason = transaction.status === 'Success' ? 'duplicate' : 'late'
    const reversed = requestReversal(decision, { reference, amount_paise, reason }, now)
    return withAttempt(reversed, endAttempt({ ...attempt, reference }, 'reversed', null, now), now)
  }
  return moveTo(decision, 'Success', now, {
    attempts: replaceAttempt(transaction, endAttempt({ ...attempt, reference }, 'succeeded', null, now)),
    captures: [...transaction.captures, { reference, amount_paise, disposition: 'accepted' }],
    method: report.method,
    rrn: attempt.rrn,
    payer: attempt.payer,
    failure_reason: null,
    enquiry: finalEnquiry(now, 0, timing),
  })
}

/** An attempt ended without money that we keep. The last decline waits until no attempt is open. */
function decline(
  decision: Decision,
  attempt: Attempt,
  reference: string,
  reason: FailureReason,
  now: Date,
  timing: Timing,
): Decision {
  const details = detailsAfter(decision.transaction, attempt)
  const ended = withAttempt(decision, endAttempt({ ...attempt, reference }, 'failed', reason, now), now, details)
  const { transaction } = ended
  const declined = transaction.attempts.filter(({ status }) => status === 'failed').length
  const exhausted = declined >= transaction.order.max_attempts && !transaction.attempts.some(isUnresolved)
  // While the order is closing, only an enquiry may end it: another payment may be on its way. The next one is due now.
  if (transaction.closing)
    return amend(ended, now, { enquiry: { due_at: now, requests: transaction.enquiry?.requests ?? 0, round: 0 } })
  if (exhausted) {
    const { method, rrn, payer } = attempt
    return moveTo(ended, 'Failed', now, { method, rrn, payer, failure_reason: reason, enquiry: finalEnquiry(now, 0, timing) })
  }
  return transaction.status === 'Initiate' ? moveTo(ended, 'Pending', now) : ended
}

function withAttempt(decision: Decision, attempt: Attempt, now: Date, details?: PaymentDetails): Decision {
  return amend(decision, now, { ...details, attempts: replaceAttempt(decision.transaction, attempt) })
}

/** The network's reason for a decline, where it is one of ours; `declined` otherwise. */
function reasonOf({ reason }: NetworkReport): FailureReason {
  const known = FAILURE_REASONS.find((candidate) => candidate === reason)
  return known === 'cancelled' || known === 'expired' || known === 'network_error' ? known : 'declined'
}

function isSame(one: SeenReport, other: SeenReport): boolean {
  return one.reference === other.reference && one.outcome === other.outcome && one.amount_paise === other.amount_paise
}
