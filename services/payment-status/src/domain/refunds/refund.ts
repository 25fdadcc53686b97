import type { FailureCode, RefundPendingReason, RefundReason, RefundStatus } from '@gateway/contracts'
import type { Capture, Transaction } from '../transaction.ts'

/** Money of the accepted capture that goes back at the merchant's wish. Source: design, section 10. */
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
  /** The network's own code of a refusal, for the operator. */
  readonly networkCode: string | null
  readonly rrn: string | null
  /** The credential that asked for it. */
  readonly requestedBy: string
  readonly requestedAt: Date
  readonly updatedAt: Date
  /** When it succeeded or failed. */
  readonly completedAt: Date | null
  /** When the payer's bank sent it back; absent otherwise. */
  readonly returnedAt?: Date | null
  /** How often the network was asked. */
  readonly asked: number
  /** When the network is asked next; `null` when it has ended. */
  readonly dueAt: Date | null
}

/** The capture that can be refunded; `undefined` while the order is not paid. */
export function acceptedCapture({ captures }: Pick<Transaction, 'captures'>): Capture | undefined {
  return captures.find(({ disposition }) => disposition === 'accepted')
}

export function refundsOf({ refunds = [] }: Pick<Transaction, 'refunds'>): readonly Refund[] {
  return refunds
}

/** The sum of the succeeded refunds. */
export function refundedPaise(transaction: Pick<Transaction, 'refunds'>): number {
  return sumOf(refundsOf(transaction).filter(({ status }) => status === 'succeeded'))
}

/** What can still be refunded. Pending money counts as refunded: the network may have paid it already. */
export function refundablePaise(transaction: Pick<Transaction, 'captures' | 'refunds'>): number {
  const bound = refundsOf(transaction).filter(({ status }) => status === 'pending' || status === 'succeeded')
  return (acceptedCapture(transaction)?.amountPaise ?? 0) - sumOf(bound)
}

function sumOf(refunds: readonly Refund[]): number {
  return refunds.reduce((sum, { amountPaise }) => sum + amountPaise, 0)
}

/** The transaction's refunds with this one in the place of its earlier version. */
export function replaceRefund(transaction: Pick<Transaction, 'refunds'>, refund: Refund): Refund[] {
  return refundsOf(transaction).map((other) => (other.n === refund.n ? refund : other))
}
