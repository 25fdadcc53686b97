import type { Open } from './open.ts'

export type OrderMethod = 'upi' | 'card' | 'netbanking'
export type TransactionStatus = Open<'Initiate' | 'Pending' | 'Success' | 'Failed'>
export type PaymentMethod = Open<'upi' | 'credit_card' | 'debit_card' | 'netbanking'>
export type FailureReason = Open<'declined' | 'cancelled' | 'expired' | 'amount_mismatch' | 'unconfirmed' | 'network_error'>
export type FailureCode = Open<
  | 'insufficient_funds'
  | 'authentication_failed'
  | 'limit_exceeded'
  | 'payer_declined'
  | 'instrument_blocked'
  | 'issuer_down'
  | 'timed_out'
  | 'risk'
  | 'unknown'
>

/** What `orders.create` sends. */
export interface NewOrder {
  /** Your own id: 3 to 45 letters, digits, `-` or `_`. The same order sent twice is one order. */
  readonly order_id: string
  /** Rupees as text, such as `"499.00"`. Never a number, which could not hold every amount exactly. */
  readonly amount: string
  readonly currency?: 'INR'
  /** At most 50 characters; also the note of the UPI link. */
  readonly description?: string
  readonly customer: {
    readonly id?: string
    readonly name: string
    /** The e-mail address, the phone, or both are needed. */
    readonly email?: string
    /** An Indian mobile number, such as `98765 43210`, or a foreign one with its country, such as `+1 (415) 555-2671`. */
    readonly phone?: string
  }
  /** All methods by default. */
  readonly methods?: readonly OrderMethod[]
  /** The hosted page sends the shopper here afterwards, with `order_id` and `status` added: a hint, so confirm by search. The URL's own parameters stay. */
  readonly return_url?: string
  /** Seconds until the order can no longer be paid; 1200 by default. */
  readonly expires_in?: number
  /** How many payments the shopper may try, from 1 to 5; 1 by default. */
  readonly max_attempts?: number
  readonly udf1?: string
  readonly udf2?: string
  readonly udf3?: string
}

/** Where the shopper pays. */
export interface CheckoutLinks {
  /** The hosted page. */
  readonly url: string
  /** The UPI link; empty when the order does not take UPI. */
  readonly intent: string
}

/** The answer to `orders.create`. */
export interface CreatedOrder {
  readonly order: { readonly order_id: string }
  readonly transaction: {
    readonly id: string
    readonly status: Open<'Initiate'>
    readonly amount: string
    readonly currency: Open<'INR'>
    readonly created_at: string
    readonly expires_at: string
  }
  readonly checkout: CheckoutLinks
}

/** One payment that was tried. */
export interface Attempt {
  readonly id: string
  readonly method: PaymentMethod
  readonly status: Open<'open' | 'abandoned' | 'succeeded' | 'failed' | 'reversed'>
  readonly failure_reason: FailureReason | null
  /** The network's reason; `null` when it gave none. */
  readonly failure_code?: FailureCode | null
  readonly reference: string | null
  /** The bank's number of the payment, which the shopper's bank shows, too. */
  readonly rrn?: string | null
  readonly started_at: string
  readonly ended_at: string | null
}

/** Money that goes back to the shopper because the order could not accept it. */
export interface Reversal {
  readonly reference: string
  readonly amount: string
  readonly reason: Open<'late' | 'duplicate' | 'amount_mismatch'>
  readonly status: Open<'pending' | 'succeeded' | 'failed'>
  /** The bank's number of the reversal; `null` until the network has told it. */
  readonly rrn: string | null
  readonly requested_at: string
  readonly completed_at: string | null
}

/** What `refunds.create` sends. */
export interface NewRefund {
  readonly order_id: string
  /** Your own id, unique per order. */
  readonly refund_id: string
  /** Rupees with two decimals. */
  readonly amount: string
  /** `other` by default. */
  readonly reason?: 'returned' | 'duplicate' | 'not_delivered' | 'other'
  /** At most 50 characters. */
  readonly note?: string
}

/** Money of the payment that goes back at the merchant's wish. */
export interface Refund {
  /** `<transaction id>R<nn>`. */
  readonly id: string
  /** The merchant's own id. */
  readonly refund_id: string
  readonly order_id: string
  readonly transaction_id: string
  readonly amount: string
  readonly currency: Open<'INR'>
  readonly status: Open<'pending' | 'succeeded' | 'failed' | 'returned'>
  /** `null` unless pending. */
  readonly pending_reason: Open<'queued' | 'processing' | 'insufficient_funds' | 'no_answer'> | null
  readonly failure_code: FailureCode | null
  readonly rrn: string | null
  readonly sequence: number
  readonly reason: Open<'returned' | 'duplicate' | 'not_delivered' | 'other'>
  readonly note: string
  readonly created_at: string
  readonly updated_at: string
  readonly completed_at: string | null
}

/** An order with its transaction: the truth about a payment. Confirm every webhook with it. */
export interface Order {
  readonly order: {
    readonly order_id: string
    readonly description: string
    /** `phone` is E.164, such as `+919876543210`. A field that was not sent is `null`; all are once the customer's data was removed. */
    readonly customer: {
      readonly id: string | null
      readonly name: string | null
      readonly email: string | null
      readonly phone: string | null
    }
    readonly udf1: string
    readonly udf2: string
    readonly udf3: string
    readonly return_url: string | null
  }
  readonly transaction: {
    readonly id: string
    readonly status: TransactionStatus
    readonly amount: string
    readonly currency: Open<'INR'>
    readonly method: PaymentMethod | null
    readonly rrn: string | null
    readonly failure_reason: FailureReason | null
    /** Why the network declined the payment; `null` when no decline failed the transaction. */
    readonly failure_code: FailureCode | null
    readonly payer: { readonly name: string; readonly vpa: string } | null
    readonly attempts: readonly Attempt[]
    readonly reversals: readonly Reversal[]
    readonly refunds: readonly Refund[]
    /** The sum of the succeeded refunds. */
    readonly amount_refunded: string
    /** What can still be refunded: the capture without pending and succeeded refunds. */
    readonly amount_refundable: string
    /** Grows by one with each change of the status. */
    readonly sequence: number
    readonly created_at: string
    readonly updated_at: string
    readonly expires_at: string
  }
  /** While the order can be paid, else `null`. */
  readonly checkout: CheckoutLinks | null
}

/** How a simulated payment ends (docs/sandbox.md). */
export type SimulatedOutcome =
  'success' | 'failure' | 'pending' | 'expire' | 'late_success' | 'amount_mismatch' | 'network_timeout'

/** What `sandbox.simulate` sends. */
export interface SimulateOptions {
  readonly order_id: string
  readonly outcome: SimulatedOutcome
  /** `upi` by default, or the first method that the order takes. */
  readonly method?: 'upi' | 'credit_card' | 'debit_card' | 'netbanking'
  /** Milliseconds until the outcome, at most 60000. */
  readonly delay_ms?: number
  /** How many more times the outcome is reported, at most 10. */
  readonly duplicates?: number
  /** Pending is reported after the outcome instead of before it. */
  readonly reorder?: boolean
}

/** The simulation has started. */
export interface Simulation {
  /** The network's reference; `null` when the outcome has no payment. */
  readonly payment_id: string | null
  readonly order_id: string
  readonly outcome: Open<SimulatedOutcome>
}
