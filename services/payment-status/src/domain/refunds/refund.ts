import type { FailureCode, RefundPendingReason, RefundReason, RefundStatus } from '@gateway/contracts'

/** Money of the accepted capture that the merchant gives back. Source: design, section 10. */
export interface Refund {
  /** From 1 within the transaction; with its id the public id and the network's idempotency key. */
  readonly n: number
  /** The merchant's own id, unique per order. */
  readonly refundId: string
  /** Tells a repeated request from another one under the same id. */
  readonly fingerprint: string
  readonly amountPaise: number
  readonly reason: RefundReason
  readonly note: string
  readonly status: RefundStatus
  /** Counts status changes, from 1. */
  readonly sequence: number
  /** `null` unless pending. */
  readonly pendingReason: RefundPendingReason | null
  readonly failureCode: FailureCode | null
  /** The network's own code for a refusal, for operators. */
  readonly networkCode: string | null
  readonly rrn: string | null
  /** The id of the credential that asked for it. */
  readonly requestedBy: string
  readonly requestedAt: Date
  readonly updatedAt: Date
  /** When it succeeded or failed. */
  readonly completedAt: Date | null
  /** When the payer's bank sent it back; absent otherwise. */
  readonly returnedAt?: Date | null
  /** How often the network was asked. */
  readonly asked: number
  /** When the network is asked next; `null` once the refund has ended. */
  readonly dueAt: Date | null
}
