import {
  formatPaise,
  type FailureCode,
  type NetworkRefundRequest,
  type RefundReason,
  type RefundReport,
  type RefundStatus,
} from '@gateway/contracts'

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
  readonly amountPaise: number
  readonly reason: RefundReason
  /** The status at `requestedAt`, or after a tester's decision. `refundAt` returns the current status. */
  readonly status: RefundStatus
  readonly pendingReason: NonNullable<RefundReport['pending_reason']> | null
  readonly failure: RefundFailure | null
  readonly rrn: string
  readonly requestedAt: Date
  /** The status that follows by itself, and its time. */
  readonly next: { readonly status: RefundStatus; readonly at: Date } | null
}

/** The refund at `now`, with the status that follows by itself if its time has come. */
export function refundAt(refund: Refund, now: Date): Refund {
  const { next } = refund
  return next && next.at <= now ? { ...refund, status: next.status, pendingReason: null, next: null } : refund
}

/** The sum of the payment's pending and succeeded refunds. A failed or returned refund does not count. */
export function refundedPaise(refunds: readonly Refund[], now: Date): number {
  const bound = refunds.filter((refund) => ['pending', 'succeeded'].includes(refundAt(refund, now).status))
  return bound.reduce((sum, { amountPaise }) => sum + amountPaise, 0)
}

/** The refund as a report of the contract, with its own status or the status that a callback reports. */
export function refundReportOf(refund: Refund, status: RefundStatus = refund.status): RefundReport {
  return {
    refund_id: refund.id,
    status,
    amount: formatPaise(refund.amountPaise),
    ...(status === 'pending' && refund.pendingReason ? { pending_reason: refund.pendingReason } : {}),
    ...(status === 'succeeded' || status === 'returned' ? { rrn: refund.rrn } : {}),
    ...(status === 'failed' && refund.failure
      ? { reason_code: FAILURES[refund.failure], network_code: refund.failure.toUpperCase() }
      : {}),
  }
}

/** True when the request is a repeat of the one that made this refund. */
export function isSameRefund(refund: Refund, request: RequestedRefund): boolean {
  return refund.amountPaise === request.amountPaise && refund.reason === request.reason
}

/** A refund request, with its amount in paise. */
export interface RequestedRefund extends Pick<NetworkRefundRequest, 'reason'> {
  readonly id: string
  readonly amountPaise: number
}
