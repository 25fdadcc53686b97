import type {
  AttemptView,
  Dated,
  ExportedPayment,
  NetworkOutcome,
  OrderCreated,
  OrderTexts,
  Payer,
  PaymentMethod,
  RefundStatusChanged,
  RefundView,
  ReversalStatusChanged,
  ReversalView,
  SearchOrderResponse,
  TransactionStatusChanged,
} from '@gateway/contracts'

// What is stored is named as it is shown and published: the shapes below are those of contracts, with dates, and with what nobody is shown.

type Shown = SearchOrderResponse['data']['transaction']

/** A payment's journey. Source: specification, section 3, and design, section 4 ("The state machine"). */
export interface Transaction
  extends
    Dated<Pick<Shown, 'status' | 'method' | 'rrn' | 'payer' | 'failure_reason' | 'created_at' | 'updated_at' | 'expires_at'>>,
    Dated<Pick<ExportedPayment, 'final_at'>> {
  /** Also the UPI transaction reference `tr`. */
  readonly id: string
  readonly order: OrderDetails
  /** Counts status changes, from 1, without gaps. */
  readonly sequence: number
  /** Counts every write; each write is guarded by the version it has read. */
  readonly version: number
  /** When it became `Pending`, and what that event said about the payment: later reports may say more. `null` if it never did. */
  readonly as_pending: (PaymentDetails & { readonly at: Date }) | null
  readonly attempts: readonly Attempt[]
  /** One entry per reference that the network captured money for. */
  readonly captures: readonly Capture[]
  /** Reports that were applied: a repeated one has no effect. */
  readonly seen_reports: readonly SeenReport[]
  /** Captured money that is given back. */
  readonly reversals: readonly Reversal[]
  /** Money that goes back at the merchant's wish; absent while there is none, so that a payment costs no more. */
  readonly refunds?: readonly Refund[]
  /** Set while the order has ended for the shopper but its status is not final yet. */
  readonly closing: Closing | null
  /** When the network is asked next. */
  readonly enquiry: Enquiry | null
  /** The reference of the last excess capture that was given back because of an enquiry; absent while there is none. */
  readonly returned_up_to?: string
  /** What the last enquiries brought, for the timeline; absent before the first. */
  readonly answers?: readonly AnsweredEnquiry[]
}

/** A copy of the order, which never changes. It holds nothing of the customer, whose data can be purged (docs/adr/0001). */
export interface OrderDetails extends Pick<
  OrderCreated['data'],
  'order_id' | 'merchant' | 'amount_paise' | 'methods' | 'max_attempts' | 'intent'
> {
  readonly texts: OrderTexts
  readonly correlation_id: string
}

/** `rrn` and `payer`: what any report about the payment told, whatever its outcome; `null` until then. */
export interface Attempt extends Dated<AttemptView> {
  readonly payer: Payer | null
  /** The network's own code or words for a decline, for operators. */
  readonly network_code: string | null
}

/** What the network has told about a payment, beside its outcome. */
export interface PaymentDetails {
  readonly method: PaymentMethod | null
  readonly rrn: string | null
  readonly payer: Payer | null
}

export interface Capture {
  readonly reference: string
  readonly amount_paise: number
  readonly disposition: 'accepted' | 'reversed'
}

export interface SeenReport {
  readonly reference: string
  readonly outcome: NetworkOutcome
  readonly amount_paise: number
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

export interface Reversal extends Dated<Omit<ReversalView, 'amount'>> {
  readonly amount_paise: number
  readonly requests: number
  readonly due_at: Date | null
}

/** Money of the accepted capture that the merchant gives back. Source: design, section 10. */
export interface Refund extends Dated<Omit<RefundView, 'id' | 'order_id' | 'transaction_id' | 'amount' | 'currency'>> {
  /** From 1 within the transaction; with its id the public id and the network's idempotency key. */
  readonly n: number
  /** Tells a repeated request from another one under the same id. */
  readonly fingerprint: string
  readonly amount_paise: number
  /** The network's own code for a refusal, for operators. */
  readonly network_code: string | null
  /** The id of the credential that asked for it. */
  readonly requested_by: string
  /** When the payer's bank sent it back; absent otherwise. */
  readonly returned_at?: Date
  /** How often the network was asked. */
  readonly requests: number
  /** When the network is asked next; `null` once the refund has ended. */
  readonly due_at: Date | null
}

export interface Closing {
  readonly reason: 'cancelled' | 'expired'
  readonly at: Date
}

export interface Enquiry {
  readonly due_at: Date
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
export type ExcessCapture = Pick<Reversal, 'reference' | 'amount_paise' | 'reason'>

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
