import { isFinal, type Capabilities, type PaymentMethod } from '@gateway/contracts'
import { isOpen, isUnresolved } from './states.ts'
import { refundsOf } from './refund.ts'
import type { Enquiry, Transaction } from './transaction.ts'

/** When the network is asked, in milliseconds. The defaults are in `config.ts`. */
export interface Timing {
  /** `ENQUIRY_DELAYS`: pauses between enquiries; the last one repeats. */
  readonly enquiryDelaysMs: readonly number[]
  /**
   * `UPI_ENQUIRY_DELAYS`: the pauses before the first and each further enquiry while only UPI can have paid; after them one more
   * before giving up. Undefined: as for other methods.
   */
  readonly upiEnquiryDelaysMs?: readonly number[] | undefined
  /** `ENQUIRY_GRACE`: how long after the order's end a "not found" answer is ignored. */
  readonly enquiryGraceMs: number
  /** `ENQUIRY_GIVE_UP`: how long after the order's end unclear answers are tolerated; at least one full schedule (docs/adr/0012). */
  readonly enquiryGiveUpMs: number
  /** `FINAL_ENQUIRY_DELAYS`: when the network is asked again about a final transaction, counted from its end. */
  readonly finalEnquiryDelaysMs: readonly number[]
  /** `REVERSAL_DELAYS`: pauses between requests of one reversal; the last one repeats. */
  readonly reversalDelaysMs: readonly number[]
  /** `REFUND_DELAYS`: pauses between requests of one refund; the last one repeats. */
  readonly refundDelaysMs: readonly number[]
}

/** Limits of a connector on enquiries about UPI (contracts, network-capabilities.ts). */
export type EnquiryLimits = Capabilities['enquiry']

/**
 * The pauses of UPI within a connector's limits: the first is the connector's, the others are the configured ones. One enquiry
 * before giving up follows them, so there is one pause less than `max` permits, but always one.
 */
export function upiDelaysWithin(limits: EnquiryLimits, configured: Timing): readonly number[] | undefined {
  const { upiEnquiryDelaysMs, enquiryDelaysMs } = configured
  if (!limits) return upiEnquiryDelaysMs
  const { first_after_ms: firstMs, max } = limits
  // UPI follows the schedule of the other methods, which stays within the connector's limits.
  if (!upiEnquiryDelaysMs && firstMs === 0 && max > enquiryDelaysMs.length) return undefined
  const [, ...others] = upiEnquiryDelaysMs ?? enquiryDelaysMs
  return [firstMs, ...others].slice(0, Math.max(max - 1, 1))
}

/** The configured timing, with the pauses of UPI that follow what the connector says now. */
export function timingWithin(limitsNow: () => EnquiryLimits, configured: Timing): Timing {
  return {
    ...configured,
    get upiEnquiryDelaysMs() {
      return upiDelaysWithin(limitsNow(), configured)
    },
  }
}

/** The pause after so many earlier requests, in milliseconds. */
export function delayMs(delaysMs: readonly number[], requests: number): number {
  return delaysMs[Math.min(requests, delaysMs.length - 1)] ?? 60_000
}

/** The instant so many milliseconds later. */
export function after(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds)
}

/** The first enquiry about an open attempt: its callback may get lost. */
export function pendingEnquiry(now: Date, timing: Timing, method: PaymentMethod): Enquiry {
  const delays = (method === 'upi' ? timing.upiEnquiryDelaysMs : undefined) ?? timing.enquiryDelaysMs
  return { due_at: after(now, delayMs(delays, 0)), requests: 0, round: 0 }
}

/** The next enquiry after a final status; `null` after the last round. It finds money whose callback was lost. */
export function finalEnquiry(finalAt: Date, round: number, timing: Timing): Enquiry | null {
  const delay = timing.finalEnquiryDelaysMs[round]
  return delay === undefined ? null : { due_at: after(finalAt, delay), requests: 0, round }
}

/** When work on this transaction is due next: expiry, an enquiry or a reversal; `null` when nothing is left to do. */
export function nextDueAt(transaction: Transaction): Date | null {
  const instants = [
    isOpen(transaction) ? transaction.expires_at : null,
    transaction.enquiry?.due_at ?? null,
    ...transaction.reversals.map((reversal) => reversal.due_at),
  ].filter((instant) => instant !== null)
  return instants.length === 0 ? null : new Date(Math.min(...instants.map((instant) => instant.getTime())))
}

/** When a refund of the transaction is due next; `undefined` when none is pending. */
export function refundsDueAt(transaction: Pick<Transaction, 'refunds'>): Date | undefined {
  const times = refundsOf(transaction).flatMap(({ due_at }) => (due_at === null ? [] : [due_at.getTime()]))
  return times.length === 0 ? undefined : new Date(Math.min(...times))
}

/** Since when an answer of the network is missing, stored as `waits_since`; `undefined` when none is. */
export function awaitsNetworkSince({ status, closing, reversals }: Transaction): Date | undefined {
  const ended = closing && !isFinal(status) ? [closing.at] : []
  const owed = reversals.filter((reversal) => reversal.status === 'pending').map(({ requested_at }) => requested_at)
  const [first] = [...ended, ...owed].toSorted((one, other) => one.getTime() - other.getTime())
  return first
}

/** Whether UPI is the only method by which money can be under way: no attempt with another method is unresolved. */
function canOnlyBeUpi({ order, attempts }: Transaction): boolean {
  return order.methods.includes('upi') && attempts.every((attempt) => attempt.method === 'upi' || !isUnresolved(attempt))
}

/** The pauses of UPI, where they apply (NPCI: the first check 90 s after the payment, three at most); else `undefined`. */
export function upiPausesMs(transaction: Transaction, timing: Pick<Timing, 'upiEnquiryDelaysMs'>): readonly number[] | undefined {
  return canOnlyBeUpi(transaction) ? timing.upiEnquiryDelaysMs : undefined
}

/** The pauses of one full schedule for this transaction. */
export function pausesMs(transaction: Transaction, timing: Timing): readonly number[] {
  return upiPausesMs(transaction, timing) ?? timing.enquiryDelaysMs
}

/** The pause after so many requests, counted from 1; `undefined` when none follows until the giving up. */
export function pauseAfterMs(transaction: Transaction, requests: number, timing: Timing): number | undefined {
  const upi = upiPausesMs(transaction, timing)
  return upi ? upi[requests] : delayMs(timing.enquiryDelaysMs, requests - 1)
}
