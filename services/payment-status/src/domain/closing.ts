import { isFinal, type FailureReason, type NetworkReport } from '@gateway/contracts'
import { endAttempt, isUnresolved } from './attempts.ts'
import { takeReport } from './reports.ts'
import { after, delayMs, finalEnquiry, type Timing } from './schedule.ts'
import type { Attempt, Decision, Enquiry, Transaction } from './transaction.ts'
import { amend, moveTo, withNextVersion, unchanged } from './transition.ts'

/** What the network says about a `tr`. `unclear` covers every answer that is none: a timeout, a 500, garbage. */
export type EnquiryAnswer = { readonly kind: 'known'; readonly payments: readonly NetworkReport[] } | { readonly kind: 'unclear' }

/** The shopper's or merchant's cancel: no new attempt, then the network is asked. */
export function cancel(before: Transaction, now: Date): Decision {
  return close(before, 'cancelled', now, now)
}

/** The end of the time to pay: no new attempt, then the network is asked, for a UPI app may have paid without us. */
export function expire(before: Transaction, now: Date): Decision {
  return now < before.expiresAt ? unchanged(before) : close(before, 'expired', before.expiresAt, now)
}

function close(before: Transaction, reason: 'cancelled' | 'expired', at: Date, now: Date): Decision {
  if (isFinal(before.status) || before.closing) return unchanged(before)
  return withNextVersion(
    before,
    amend(unchanged(before), { closing: { reason, at }, enquiry: { dueAt: now, asked: 0, round: 0 } }),
    now,
  )
}

/** Takes every payment that the network knows, then decides whether the transaction may end or when to ask again. */
export function applyEnquiry(before: Transaction, answer: EnquiryAnswer, now: Date, timing: Timing): Decision {
  const reports = answer.kind === 'known' ? answer.payments : []
  const taken = reports.reduce((decision, report) => takeReport(decision, report, now, timing), unchanged(before))
  return withNextVersion(before, settle(taken, before, answer, now, timing), now)
}

function settle(decision: Decision, before: Transaction, answer: EnquiryAnswer, now: Date, timing: Timing): Decision {
  const { transaction } = decision
  if (isFinal(before.status)) return askAfterFinal(decision, answer, now, timing)
  // The reports themselves ended it; the repeated enquiries are scheduled already.
  if (isFinal(transaction.status)) return decision
  if (!transaction.closing) return askAgain(decision, now, timing)
  if (permitsFailed(transaction, transaction.closing.at, answer, now, timing)) {
    return fail(decision, transaction.closing.reason, now, timing)
  }
  if (isTimeToGiveUp(transaction.closing.at, transaction.enquiry, now, timing)) {
    return amend(fail(decision, 'unconfirmed', now, timing), {}, ['unconfirmed'])
  }
  return askAgain(decision, now, timing)
}

/** Who could not ask for so long, being away himself, gives the network the time of all pauses once all the same (docs/adr/0012). */
function isTimeToGiveUp(from: Date, enquiry: Enquiry | null, now: Date, timing: Timing): boolean {
  return now >= after(from, timing.enquiryGiveUpMs) && askedLately(enquiry, now, timing) >= timing.enquiryDelaysMs.length
}

/** Later than this and than any pause, an enquiry does not only come late: nobody was there to ask. */
const AWAY_MS = 60_000

/** How often the network was asked since we are here. */
function askedLately(enquiry: Enquiry | null, now: Date, timing: Timing): number {
  const longestMs = Math.max(AWAY_MS, ...timing.enquiryDelaysMs)
  return !enquiry || now > after(enquiry.dueAt, longestMs) ? 0 : enquiry.asked
}

/**
 * Only "failed" for all that was tried, or "not found" when the network has had `ENQUIRY_GRACE` to hear of it,
 * proves that no money is on its way.
 */
function permitsFailed(transaction: Transaction, endedAt: Date, answer: EnquiryAnswer, now: Date, timing: Timing): boolean {
  if (answer.kind === 'unclear' || answer.payments.some(({ outcome }) => outcome === 'pending')) return false
  const graceIsOver = now >= after(endedAt, timing.enquiryGraceMs)
  return graceIsOver || (answer.payments.length > 0 && !transaction.attempts.some(isUnresolved))
}

function fail(decision: Decision, failureReason: FailureReason, now: Date, timing: Timing): Decision {
  const attempts = decision.transaction.attempts.map((attempt) =>
    isUnresolved(attempt) ? endAttempt(attempt, 'failed', whyUnresolved(attempt, failureReason), now) : attempt,
  )
  return moveTo(decision, 'Failed', now, { attempts, failureReason, enquiry: finalEnquiry(now, 0, timing) })
}

/** The order ended by its time or by a cancel; an attempt that the network never heard of failed by not getting there. */
function whyUnresolved({ reference }: Attempt, ofOrder: FailureReason): FailureReason {
  return reference === null && ofOrder !== 'unconfirmed' ? 'network_error' : ofOrder
}

function askAgain(decision: Decision, now: Date, timing: Timing): Decision {
  const { closing, enquiry, attempts } = decision.transaction
  // Every attempt has ended and the shopper may try again: nothing to ask about until then.
  if (!closing && !attempts.some(isUnresolved)) return amend(decision, { enquiry: null })
  const asked = askedLately(enquiry, now, timing) + 1
  const dueAt = after(now, delayMs(timing.enquiryDelaysMs, asked - 1))
  const graceEndsAt = closing ? after(closing.at, timing.enquiryGraceMs) : dueAt
  // The end of the grace is the first moment when "not found" counts: no reason to let the merchant wait longer.
  const earliest = graceEndsAt > now && graceEndsAt < dueAt ? graceEndsAt : dueAt
  return amend(decision, { enquiry: { dueAt: earliest, asked, round: 0 } })
}

function askAfterFinal(decision: Decision, answer: EnquiryAnswer, now: Date, timing: Timing): Decision {
  const { finalAt, enquiry } = decision.transaction
  if (!finalAt || !enquiry) return decision
  const clear = answer.kind === 'known' && answer.payments.every(({ outcome }) => outcome !== 'pending')
  if (clear) return amend(decision, { enquiry: finalEnquiry(finalAt, enquiry.round + 1, timing) })

  const roundBeganAt = after(finalAt, timing.finalEnquiryDelaysMs[enquiry.round] ?? 0)
  if (isTimeToGiveUp(roundBeganAt, enquiry, now, timing)) {
    return amend(decision, { enquiry: finalEnquiry(finalAt, enquiry.round + 1, timing) }, ['final_enquiry_unanswered'])
  }
  const asked = askedLately(enquiry, now, timing)
  const again: Enquiry = { ...enquiry, dueAt: after(now, delayMs(timing.enquiryDelaysMs, asked)), asked: asked + 1 }
  return amend(decision, { enquiry: again })
}
