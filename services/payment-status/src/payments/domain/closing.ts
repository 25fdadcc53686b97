import { upiPausesMs } from './enquiry-pauses.ts'
import { after, type Timing } from './schedule.ts'
import { isOpen } from './states.ts'
import type { Decision, Transaction } from './transaction.ts'
import { amend, unchanged } from './transition.ts'

/** What closing needs of the schedule; without the pauses of UPI the network is asked at once. */
type UpiTiming = Pick<Timing, 'upiEnquiryDelaysMs'>

/** The shopper or the merchant cancels: no new attempt can start, and the network is asked. */
export function cancel(before: Transaction, now: Date, timing: UpiTiming = {}): Decision {
  return close(before, 'cancelled', now, now, timing)
}

/** The time to pay is over: no new attempt can start, and the network is asked, because a UPI app may have paid without us. */
export function expire(before: Transaction, now: Date, timing: UpiTiming = {}): Decision {
  return now < before.expiresAt ? unchanged(before) : close(before, 'expired', before.expiresAt, now, timing)
}

function close(before: Transaction, reason: 'cancelled' | 'expired', at: Date, now: Date, timing: UpiTiming): Decision {
  if (!isOpen(before)) return unchanged(before)
  // The shopper may have paid in a UPI app until now.
  const dueAt = after(now, upiPausesMs(before, timing)?.[0] ?? 0)
  return amend(unchanged(before), now, { closing: { reason, at }, enquiry: { dueAt, requests: 0, round: 0 } })
}
