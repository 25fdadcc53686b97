import type {
  AttemptStatus,
  FailureCode,
  FailureReason,
  NetworkOutcome,
  OrderMethod,
  OrderTexts,
  Payer,
  PaymentMethod,
  RefundPendingReason,
  RefundReason,
  RefundStatus,
  RefundStatusChanged,
  ReversalReason,
  ReversalStatus,
  ReversalStatusChanged,
  TransactionStatus,
  TransactionStatusChanged,
} from '@gateway/contracts'

/** A payment's journey. Source: specification, section 3, and design, section 4 ("The state machine"). */
export interface Transaction {
  /** Also the UPI transaction reference `tr`. */
  readonly id: string
  readonly order: OrderDetails
  readonly status: TransactionStatus
  /** Counts status changes, from 1, without gaps. */
  readonly sequence: number
  /** Counts every write; each write is guarded by the version it has read. */
  readonly version: number
  readonly method: PaymentMethod | null
  readonly rrn: string | null
  readonly payer: Payer | null
  readonly failureReason: FailureReason | null
  /** When it became `Pending`, and what that event said about the payment: later reports may say more. `null` if it never did. */
  readonly asPending: (PaymentDetails & { readonly at: Date }) | null
  readonly attempts: readonly Attempt[]
  /** One entry per reference that the network captured money for. */
  readonly captures: readonly Capture[]
  /** Reports that were applied: a repeated one has no effect. */
  readonly seenReports: readonly SeenReport[]
  /** Captured money that is given back. */
  readonly reversals: readonly Reversal[]
  /** Money that goes back at the merchant's wish; absent while there is none, so that a payment costs no more. */
  readonly refunds?: readonly Refund[]
  /** Set while the order has ended for the shopper but its status is not final yet. */
  readonly closing: Closing | null
  /** When the network is asked next. */
  readonly enquiry: Enquiry | null
  /** The reference of the last excess capture that was given back because of an enquiry; absent while there is none. */
  readonly returnedUpTo?: string
  /** What the last enquiries brought, for the timeline; absent before the first. */
  readonly answers?: readonly AnsweredEnquiry[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly expiresAt: Date
  readonly finalAt: Date | null
}

/** A copy of the order, which never changes. It holds nothing of the customer, whose data can be purged (docs/adr/0001). */
export interface OrderDetails {
  readonly orderId: string
  readonly merchant: { readonly id: string; readonly name: string; readonly vpa: string; readonly mcc: string }
  readonly amountPaise: number
  readonly texts: OrderTexts
  readonly methods: readonly OrderMethod[]
  readonly maxAttempts: number
  /** The UPI link; empty when the order cannot be paid by UPI. */
  readonly intent: string
  readonly correlationId: string
}

export interface Attempt {
  readonly id: string
  readonly method: PaymentMethod
  readonly status: AttemptStatus
  readonly failureReason: FailureReason | null
  /** The network's id of the payment, once it is known. */
  readonly reference: string | null
  /** What any report about the payment told, whatever its outcome; `null` until then. */
  readonly rrn: string | null
  readonly payer: Payer | null
  /** Why the network declined it; `null` when it did not. */
  readonly failureCode: FailureCode | null
  /** The network's own code or words for that, for operators. */
  readonly networkCode: string | null
  readonly startedAt: Date
  readonly endedAt: Date | null
}

/** What the network has told about a payment, beside its outcome. */
export interface PaymentDetails {
  readonly method: PaymentMethod | null
  readonly rrn: string | null
  readonly payer: Payer | null
}

export interface Capture {
  readonly reference: string
  readonly amountPaise: number
  readonly disposition: 'accepted' | 'reversed'
}

export interface SeenReport {
  readonly reference: string
  readonly outcome: NetworkOutcome
  readonly amountPaise: number
  /** When it came first, and how. */
  readonly at: Date
  readonly by: ReportedBy
}

/** A report comes from the network by itself, or within the answer to an enquiry. */
export const REPORTED_BY = ['callback', 'enquiry'] as const
export type ReportedBy = (typeof REPORTED_BY)[number]

/** What an enquiry brought. */
export interface AnsweredEnquiry {
  readonly at: Date
  /** How many payments the network listed; `null` without an answer. */
  readonly payments: number | null
  /** Why the answer decides nothing, such as `ECONNREFUSED`, `status 500` or `unreadable answer`, or `the list is cut`; else `null`. */
  readonly why: string | null
}

export interface Reversal {
  readonly reference: string
  readonly amountPaise: number
  readonly reason: ReversalReason
  readonly status: ReversalStatus
  /** The bank's number of the reversal; `null` until the network tells it. */
  readonly rrn: string | null
  readonly requestedAt: Date
  readonly completedAt: Date | null
  readonly requests: number
  readonly dueAt: Date | null
}

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
  readonly requests: number
  /** When the network is asked next; `null` once the refund has ended. */
  readonly dueAt: Date | null
}

export interface Closing {
  readonly reason: 'cancelled' | 'expired'
  readonly at: Date
}

export interface Enquiry {
  readonly dueAt: Date
  /** How often the network was asked in this round. */
  readonly requests: number
  /** Which of the enquiries after a final status this is, from 0. */
  readonly round: number
}

/**
 * How many payments of one transaction are stored. A network that reports more has a fault, and the document must stay small
 * enough to be written. Money of further payments is given back at once (return-at-once.ts).
 */
export const MAX_STORED_PAYMENTS = 100

/** Captured money that is given back without being stored. */
export type ExcessCapture = Pick<Reversal, 'reference' | 'amountPaise' | 'reason'>

/** What an operator has to look at (docs/operations/alerts.md). */
export const ALERTS = [
  'unconfirmed',
  'contradictory_report',
  'reversal_refused',
  'reversal_overdue',
  'reversal_due_tomorrow',
  'refund_overdue',
  'contradictory_refund',
  'final_enquiry_unanswered',
] as const
export type Alert = (typeof ALERTS)[number]

/** The result of an input: the new state, its events, and the alerts for operators. It is stored by one write. */
export interface Decision {
  readonly transaction: Transaction
  /** False when the input has no effect: then nothing is stored. */
  readonly changed: boolean
  readonly events: readonly TransactionStatusChanged[]
  /** Events of refunds and reversals. */
  readonly moneyEvents: readonly (RefundStatusChanged | ReversalStatusChanged)[]
  readonly alerts: readonly Alert[]
  /** Captures beyond `MAX_STORED_PAYMENTS` to give back now. */
  readonly excess: readonly ExcessCapture[]
}
