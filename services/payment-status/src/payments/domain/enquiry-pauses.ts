import { isUnresolved } from './attempts.ts'
import { delayMs, type Timing } from './schedule.ts'
import type { Transaction } from './transaction.ts'

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
