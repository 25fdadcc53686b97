import { isFinal, type FailureReason, type NetworkReport } from '@gateway/contracts'
import {
  after,
  amend,
  endAttempt,
  finalEnquiry,
  isUnresolved,
  moveTo,
  pauseAfterMs,
  pausesMs,
  takeReport,
  unchanged,
  type AnsweredEnquiry,
  type Attempt,
  type Decision,
  type Enquiry,
  type Timing,
  type Transaction,
} from '../../payments/index.ts'
import { inFixedOrder } from './report-order.ts'

/** The network's answer about a `tr`. `unclear` stands for everything that decides nothing: a timeout, a 500, an unreadable body. */
export type EnquiryAnswer =
  | {
      readonly kind: 'known'
      readonly payments: readonly NetworkReport[]
      /** When the network was truly asked, if the connector says so. */
      readonly asOf?: Date
      /** True when the connector left payments out: the answer cannot prove that there was no capture. */
      readonly isCut?: boolean
    }
  | { readonly kind: 'unclear'; readonly why: string }

/** How many answers are remembered for the timeline. */
const MAX_ANSWERS = 100

/**
 * Takes every payment that the network reports, then decides whether the transaction ends or when to ask again.
 * @param answered the enquiry that is answered. When it is not the planned one any more, a final transaction keeps its plan: an answer
 * that was under way when the transaction ended stands for no later enquiry, and brings none forward.
 */
export function applyEnquiry(
  before: Transaction,
  answer: EnquiryAnswer,
  now: Date,
  timing: Timing,
  answered: Enquiry | null = before.enquiry,
): Decision {
  const reports = answer.kind === 'known' ? inFixedOrder(answer.payments, before.order.amount_paise) : []
  const all = reports.reduce((decision, report) => takeReport(decision, report, 'enquiry', now, timing), unchanged(before))
  const { decision: taken, isLast } = takePart(all, now)
  // Payments beyond the stored ones count as left out of the list: the answer decides nothing about them.
  const heard = answer.kind === 'known' && taken.excess.length > 0 ? { ...answer, isCut: true } : answer
  const isOfEarlier = isFinal(before.status) && answered?.due_at.getTime() !== before.enquiry?.due_at.getTime()
  const planned = isLast ? settle(taken, before, heard, now, timing) : askForNextPart(taken, now)
  const settled = isOfEarlier ? taken : planned
  // Remembered by a write that happens anyway: none is made for the timeline alone.
  return settled.changed ? amend(settled, now, { answers: remember(before, heard, now) }) : settled
}

function remember({ answers = [] }: Transaction, answer: EnquiryAnswer, at: Date): AnsweredEnquiry[] {
  const answered =
    answer.kind === 'unclear'
      ? { at, payments: null, why: answer.why }
      : { at, payments: answer.payments.length, why: answer.isCut ? 'the list is cut' : null }
  return [...answers, answered].slice(-MAX_ANSWERS)
}

function settle(decision: Decision, before: Transaction, answer: EnquiryAnswer, now: Date, timing: Timing): Decision {
  const { transaction } = decision
  if (isFinal(before.status)) return askAfterFinal(decision, answer, now, timing)
  // A report ended it and scheduled the repeated enquiries.
  if (isFinal(transaction.status)) return decision
  if (!transaction.closing) return askAgain(decision, now, timing)
  if (permitsFailed(transaction, transaction.closing.at, answer, now, timing)) {
    return fail(decision, transaction.closing.reason, now, timing)
  }
  if (isTimeToGiveUp(transaction, transaction.closing.at, now, timing)) {
    return amend(fail(decision, 'unconfirmed', now, timing), now, {}, ['unconfirmed'])
  }
  return askAgain(decision, now, timing)
}

/** After downtime, run the full enquiry schedule once before giving up: the network had no chance to answer (docs/adr/0012). */
function isTimeToGiveUp(transaction: Transaction, from: Date, now: Date, timing: Timing): boolean {
  const isDue = now >= after(from, timing.enquiryGiveUpMs)
  return isDue && requestsInARow(transaction, now, timing) >= pausesMs(transaction, timing).length
}

/** An enquiry that is later than this, and than every pause, shows that no replica was running. */
const DOWNTIME_MS = 60_000

/** How often the network was asked since the last downtime. */
function requestsInARow(transaction: Transaction, now: Date, timing: Timing): number {
  const { enquiry } = transaction
  const longestMs = Math.max(DOWNTIME_MS, ...pausesMs(transaction, timing))
  return !enquiry || now > after(enquiry.due_at, longestMs) ? 0 : enquiry.requests
}

/** False for a cut list, which may hide captures, and while a payment is pending, which may still succeed. */
function isClear(answer: EnquiryAnswer): answer is EnquiryAnswer & { kind: 'known' } {
  return answer.kind === 'known' && !answer.isCut && answer.payments.every(({ outcome }) => outcome !== 'pending')
}

/**
 * Whether the answer proves that no money is on its way: it is clear, and either every attempt has ended or
 * `ENQUIRY_GRACE` has passed, in which each start would have reached the network. An answer that the network gave before the end
 * of the grace, by its `as_of`, proves nothing.
 */
function permitsFailed(transaction: Transaction, endedAt: Date, answer: EnquiryAnswer, now: Date, timing: Timing): boolean {
  if (!isClear(answer)) return false
  const graceEndsAt = after(endedAt, timing.enquiryGraceMs)
  const graceIsOver = now >= graceEndsAt
  if (answer.asOf && (!graceIsOver || answer.asOf < graceEndsAt)) return false
  return graceIsOver || (answer.payments.length > 0 && !transaction.attempts.some(isUnresolved))
}

function fail(decision: Decision, failureReason: FailureReason, now: Date, timing: Timing): Decision {
  const attempts = decision.transaction.attempts.map((attempt) =>
    isUnresolved(attempt) ? endAttempt(attempt, 'failed', whyUnresolved(attempt, failureReason), now) : attempt,
  )
  return moveTo(decision, 'Failed', now, { attempts, failure_reason: failureReason, enquiry: finalEnquiry(now, 0, timing) })
}

/** An attempt that the network never heard of failed on the way to it, for any end of the order. */
function whyUnresolved({ reference }: Attempt, ofOrder: FailureReason): FailureReason {
  return reference === null && ofOrder !== 'unconfirmed' ? 'network_error' : ofOrder
}

function askAgain(decision: Decision, now: Date, timing: Timing): Decision {
  const { transaction } = decision
  const { closing, attempts } = transaction
  // Every attempt has ended and the shopper may try again: there is nothing to ask about until then.
  if (!closing && !attempts.some(isUnresolved)) return amend(decision, now, { enquiry: null })
  const requests = requestsInARow(transaction, now, timing) + 1
  const pauseMs = pauseAfterMs(transaction, requests, timing)
  // UPI has been asked often enough: the order's end, or its giving up, asks again.
  if (pauseMs === undefined && !closing) return amend(decision, now, { enquiry: null })
  const dueAt = pauseMs === undefined ? giveUpAt(closing?.at ?? now, now, timing) : after(now, pauseMs)
  const graceEndsAt = closing ? after(closing.at, timing.enquiryGraceMs) : dueAt
  // "Not found" counts from the end of the grace on: asking then ends the merchant's wait as early as possible.
  const earliest = graceEndsAt > now && graceEndsAt < dueAt ? graceEndsAt : dueAt
  return amend(decision, now, { enquiry: { due_at: earliest, requests, round: 0 } })
}

/** When the last enquiry before giving up is due; after a downtime that took longer, a minute from now. */
function giveUpAt(from: Date, now: Date, timing: Timing): Date {
  const dueAt = after(from, timing.enquiryGiveUpMs)
  return dueAt > now ? dueAt : after(now, DOWNTIME_MS)
}

function askAfterFinal(decision: Decision, answer: EnquiryAnswer, now: Date, timing: Timing): Decision {
  const { final_at, enquiry } = decision.transaction
  if (!final_at || !enquiry) return decision
  if (isClear(answer)) return amend(decision, now, { enquiry: finalEnquiry(final_at, enquiry.round + 1, timing) })

  const roundBeganAt = after(final_at, timing.finalEnquiryDelaysMs[enquiry.round] ?? 0)
  if (isTimeToGiveUp(decision.transaction, roundBeganAt, now, timing)) {
    return amend(decision, now, { enquiry: finalEnquiry(final_at, enquiry.round + 1, timing) }, ['final_enquiry_unanswered'])
  }
  const requests = requestsInARow(decision.transaction, now, timing) + 1
  const pauseMs = pauseAfterMs(decision.transaction, requests, timing)
  const dueAt = pauseMs === undefined ? giveUpAt(roundBeganAt, now, timing) : after(now, pauseMs)
  return amend(decision, now, { enquiry: { ...enquiry, due_at: dueAt, requests } })
}

/** Few enough that their calls end within the lease of a due transaction. */
const AT_ONCE = 4
/** When the network is asked again while its last answer has excess captures that are not given back. */
const NEXT_PART_MS = 5000

/**
 * Takes the next part of an answer's excess captures, by reference, and remembers where it ends: nothing else of them is stored.
 * After the last part comes the first one again, at the next enquiry of the schedule: the network may not have heard the request.
 * @returns the decision with this part alone, and whether it is the last one
 */
function takePart(decision: Decision, now: Date): { decision: Decision; isLast: boolean } {
  const { excess, transaction } = decision
  if (excess.length === 0) return { decision, isLast: true }
  const sorted = excess.toSorted((one, other) => (one.reference < other.reference ? -1 : 1))
  const start = Math.max(
    0,
    sorted.findIndex(({ reference }) => reference > (transaction.returned_up_to ?? '')),
  )
  const part = sorted.slice(start, start + AT_ONCE)
  const returned_up_to = part.at(-1)?.reference ?? ''
  return {
    decision: amend({ ...decision, excess: part }, now, { returned_up_to }),
    isLast: start + AT_ONCE >= sorted.length,
  }
}

/** Asks for the next part soon. This is no step of the schedule, which goes on after the last part. */
function askForNextPart(decision: Decision, now: Date): Decision {
  const { requests, round } = decision.transaction.enquiry ?? { requests: 0, round: 0 }
  return amend(decision, now, { enquiry: { due_at: after(now, NEXT_PART_MS), requests, round } })
}
