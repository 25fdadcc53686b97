import {
  formatPaise,
  type FailureCode,
  type NetworkRefundRequest,
  type RefundReason,
  type RefundReport,
  type RefundStatus,
} from '@gateway/contracts'

/** How long a slow refund is pending, and how long a succeeded one takes to come back. */
export const REFUND_PAUSE_MS = 3000

/** The course of a refund: its first status, the one that follows by itself, and what is reported. */
export interface RefundCourse {
  readonly status: RefundStatus
  readonly pendingReason?: NonNullable<RefundReport['pending_reason']>
  /** Comes after `REFUND_PAUSE_MS`. */
  readonly next?: RefundStatus
  /** How often each status is reported by a callback. */
  readonly reports: number
}

const SILENT = 0
const ONCE = 1
const FIVE_TIMES = 5

/** How the network treats refunds of a payment. `lost`: done, but the first answer does not arrive. */
export const REFUND_COURSES = {
  at_once: { status: 'succeeded', reports: ONCE },
  slow: { status: 'pending', pendingReason: 'processing', next: 'succeeded', reports: ONCE },
  pending: { status: 'pending', pendingReason: 'processing', reports: ONCE },
  refused: { status: 'failed', reports: ONCE },
  lost: { status: 'succeeded', reports: SILENT },
  silent: { status: 'pending', pendingReason: 'processing', next: 'succeeded', reports: SILENT },
  duplicate: { status: 'succeeded', reports: FIVE_TIMES },
  insufficient: { status: 'pending', pendingReason: 'insufficient_funds', reports: ONCE },
  returned: { status: 'succeeded', next: 'returned', reports: ONCE },
} as const satisfies Readonly<Record<string, RefundCourse>>
export type RefundBehaviour = keyof typeof REFUND_COURSES
export const REFUND_BEHAVIOURS = Object.keys(REFUND_COURSES) as RefundBehaviour[]

/** Cards and banks have no VPA, so the paise of the refund amount decide. */
const BY_PAISE: ReadonlyMap<number, RefundBehaviour> = new Map([
  [91, 'slow'],
  [92, 'refused'],
  [93, 'lost'],
])

export function behaviourOfPaise(amountPaise: number): RefundBehaviour {
  return BY_PAISE.get(amountPaise % 100) ?? 'at_once'
}

/** Reasons for which the simulator refuses a refund, each with the code of the contract. */
const FAILURES = {
  account_closed: 'instrument_blocked',
  declined_by_the_tester: 'unknown',
  not_captured: 'unknown',
  already_reversed: 'unknown',
  exceeds_capture: 'limit_exceeded',
  window_closed: 'timed_out',
} as const satisfies Readonly<Record<string, FailureCode>>
export type RefundFailure = keyof typeof FAILURES

/** A refund of a capture. Stored inside its payment, so that one guarded write keeps the sum of refunds within the capture. */
export interface Refund {
  /** The gateway's id of the refund, which is its idempotency key. */
  readonly id: string
  readonly amount_paise: number
  readonly reason: RefundReason
  /** The status at `requested_at`, or after a tester's decision. `refundAt` returns the current status. */
  readonly status: RefundStatus
  readonly pending_reason: NonNullable<RefundReport['pending_reason']> | null
  readonly failure: RefundFailure | null
  readonly rrn: string
  readonly requested_at: Date
  /** The status that follows by itself, and its time. */
  readonly next: { readonly status: RefundStatus; readonly at: Date } | null
}

/** The refund at `now`, with the status that follows by itself if its time has come. */
export function refundAt(refund: Refund, now: Date): Refund {
  const { next } = refund
  return next && next.at <= now ? { ...refund, status: next.status, pending_reason: null, next: null } : refund
}

/** The sum of the payment's pending and succeeded refunds. A failed or returned refund does not count. */
export function refundedPaise(refunds: readonly Refund[], now: Date): number {
  const bound = refunds.filter((refund) => ['pending', 'succeeded'].includes(refundAt(refund, now).status))
  return bound.reduce((sum, { amount_paise }) => sum + amount_paise, 0)
}

/** The refund as a report of the contract, with its own status or the status that a callback reports. */
export function refundReportOf(refund: Refund, status: RefundStatus = refund.status): RefundReport {
  return {
    refund_id: refund.id,
    status,
    amount: formatPaise(refund.amount_paise),
    ...(status === 'pending' && refund.pending_reason ? { pending_reason: refund.pending_reason } : {}),
    ...(status === 'succeeded' || status === 'returned' ? { rrn: refund.rrn } : {}),
    ...(status === 'failed' && refund.failure
      ? { reason_code: FAILURES[refund.failure], network_code: refund.failure.toUpperCase() }
      : {}),
  }
}

/** A refund request, with its amount in paise. */
export interface RequestedRefund extends Pick<NetworkRefundRequest, 'reason'> {
  readonly id: string
  readonly amount_paise: number
}
