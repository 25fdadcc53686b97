import { isFinal } from '@gateway/contracts'
import type { Enquiry, Transaction } from './transaction.ts'

/** When the network is asked, in milliseconds. Production's values are the defaults of `config.ts`. */
export interface Timing {
  /** `ENQUIRY_DELAYS`: the pauses between enquiries; the last one repeats. */
  readonly enquiryDelaysMs: readonly number[]
  /** `ENQUIRY_GRACE`: how long after the end "not found" still proves nothing. */
  readonly enquiryGraceMs: number
  /** `ENQUIRY_GIVE_UP`: how long after the end an unclear answer is waited for; all pauses once at least (docs/adr/0012). */
  readonly enquiryGiveUpMs: number
  /** `FINAL_ENQUIRY_DELAYS`: when a final transaction is enquired again, counted from its end. */
  readonly finalEnquiryDelaysMs: readonly number[]
  /** `REVERSAL_DELAYS`: the pauses between two calls for one reversal; the last one repeats. */
  readonly reversalDelaysMs: readonly number[]
}

/** The pause after the `asked`-th try (from 0); retry is data. */
export function delayMs(delaysMs: readonly number[], asked: number): number {
  return delaysMs[Math.min(asked, delaysMs.length - 1)] ?? 60_000
}

export function after(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds)
}

/** The enquiry that begins when an attempt is open: its callback may have been lost. */
export function pendingEnquiry(now: Date, timing: Timing): Enquiry {
  return { dueAt: after(now, delayMs(timing.enquiryDelaysMs, 0)), asked: 0, round: 0 }
}

/** The enquiries repeated after a final status, so that a lost callback cannot keep somebody's money. */
export function finalEnquiry(finalAt: Date, round: number, timing: Timing): Enquiry | null {
  const delay = timing.finalEnquiryDelaysMs[round]
  return delay === undefined ? null : { dueAt: after(finalAt, delay), asked: 0, round }
}

/** When something is to be done about this transaction next; `null` when nothing ever is. */
export function nextDueAt(transaction: Transaction): Date | null {
  const instants = [
    !isFinal(transaction.status) && !transaction.closing ? transaction.expiresAt : null,
    transaction.enquiry?.dueAt ?? null,
    ...transaction.reversals.map((reversal) => reversal.dueAt),
  ].filter((instant) => instant !== null)
  return instants.length === 0 ? null : new Date(Math.min(...instants.map((instant) => instant.getTime())))
}
