import {
  assertNever,
  isFinal,
  type FailureReason,
  type NetworkReport,
  type OrderMethod,
  type PaymentMethod,
} from '@gateway/contracts'
import { pendingEnquiry, type Timing } from './schedule.ts'
import { ATTEMPT_MOVES, isOpen, moved } from './states.ts'
import type { Attempt, Decision, PaymentDetails, Transaction } from './transaction.ts'
import { amend, moveTo, unchanged } from './transition.ts'

/** Why an attempt cannot start. */
export type AttemptRefusal = 'final' | 'closing' | 'method_not_offered' | 'no_attempts_left' | 'another_is_open'

/** Commits an attempt, always before the network is called; `Pending` begins here. Repeating an id changes nothing. */
export function startAttempt(
  before: Transaction,
  attempt: { readonly id: string; readonly method: PaymentMethod },
  now: Date,
  timing: Timing,
): Decision | AttemptRefusal {
  if (before.attempts.some(({ id }) => id === attempt.id)) return unchanged(before)
  const refusal =
    whyNoAttempt(before, now) ?? (before.order.methods.includes(orderMethodOf(attempt.method)) ? undefined : 'method_not_offered')
  if (refusal) return refusal

  const started = openAttempt(attempt, now)
  const changes = { attempts: [...before.attempts, started], enquiry: pendingEnquiry(now, timing, attempt.method) }
  const decision = unchanged(before)
  return before.status === 'Initiate' ? moveTo(decision, 'Pending', now, changes) : amend(decision, now, changes)
}

/** The shopper tries another way. Enquiries about this attempt go on: its money may still arrive. */
export function abandonAttempt(before: Transaction, attemptId: string, now: Date): Decision | 'attempt_not_found' {
  const attempt = before.attempts.find(({ id }) => id === attemptId)
  if (!attempt) return 'attempt_not_found'
  if (attempt.status !== 'open') return unchanged(before)
  const abandoned: Attempt = { ...attempt, status: moved(ATTEMPT_MOVES, attempt.status, 'abandoned') }
  return amend(unchanged(before), now, { attempts: replaceAttempt(before, abandoned) })
}

/** Why no attempt can start now; `undefined` when one of the order's methods can. */
export function whyNoAttempt(transaction: Transaction, now: Date): AttemptRefusal | undefined {
  if (isFinal(transaction.status)) return 'final'
  if (!isOpen(transaction) || now >= transaction.expires_at) return 'closing'
  if (transaction.attempts.some(({ status }) => status === 'open')) return 'another_is_open'
  return attemptsLeft(transaction) > 0 ? undefined : 'no_attempts_left'
}

/** How many more attempts the order allows. */
export function attemptsLeft({ attempts, order }: Transaction): number {
  return Math.max(order.max_attempts - attempts.length, 0)
}

/**
 * The attempt that a report is about: found by its reference, else by the attempt's id while it has no other reference.
 * A payment that no checkout started, such as a UPI app's, gets a new attempt (docs/adr/0004). The method is the report's: only
 * the network knows whether a card is a debit card.
 */
export function attemptFor(transaction: Transaction, report: NetworkReport, now: Date): Attempt {
  const known =
    transaction.attempts.find(({ reference }) => reference === report.reference) ??
    transaction.attempts.find(({ id, reference }) => id === report.attempt_id && reference === null)
  // A report may leave out what an earlier one said.
  const details = {
    ...(report.rrn ? { rrn: report.rrn } : {}),
    ...(report.payer ? { payer: { name: report.payer.name, vpa: report.payer.vpa } } : {}),
  }
  const attempt = known ?? openAttempt({ id: report.reference, method: report.method }, now)
  return { ...attempt, ...details, method: report.method }
}

function openAttempt({ id, method }: Pick<Attempt, 'id' | 'method'>, now: Date): Attempt {
  return {
    ...{ id, method, status: 'open', started_at: now, ended_at: null },
    ...{ reference: null, rrn: null, payer: null },
    ...{ failure_reason: null, failure_code: null, network_code: null },
  }
}

/** What the transaction tells after a report about this attempt: what is known of its payment, else what was known before. */
export function detailsAfter({ method, rrn, payer }: Transaction, attempt: Attempt): PaymentDetails {
  if (!attempt.rrn && !attempt.payer) return { method, rrn, payer }
  return { method: attempt.method, rrn: attempt.rrn, payer: attempt.payer }
}

/** The transaction's attempts with this one replaced, or added. */
export function replaceAttempt({ attempts }: Transaction, attempt: Attempt): Attempt[] {
  return attempts.some(({ id }) => id === attempt.id)
    ? attempts.map((other) => (other.id === attempt.id ? attempt : other))
    : [...attempts, attempt]
}

/** The attempt as it is after its end. */
export function endAttempt(
  attempt: Attempt,
  status: Attempt['status'],
  failure_reason: FailureReason | null,
  now: Date,
): Attempt {
  return { ...attempt, status: moved(ATTEMPT_MOVES, attempt.status, status), failure_reason, ended_at: now }
}

/** The method of an order that covers a payment's method. */
function orderMethodOf(method: PaymentMethod): OrderMethod {
  switch (method) {
    case 'upi':
    case 'netbanking':
      return method
    case 'credit_card':
    case 'debit_card':
      return 'card'
    default:
      return assertNever(method)
  }
}
