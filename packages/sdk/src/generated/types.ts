/** Written by `npm run sdk:types` from the schemas of the gateway. Do not edit. */

import type { Open } from '../open.ts'

export type OrderMethod = 'upi' | 'card' | 'netbanking'
export type TransactionStatus = Open<'Initiate' | 'Pending' | 'Success' | 'Failed'>
export type PaymentMethod = Open<'upi' | 'credit_card' | 'debit_card' | 'netbanking'>
export type FailureReason = Open<'declined' | 'cancelled' | 'expired' | 'amount_mismatch' | 'unconfirmed' | 'network_error'>
export type FailureCode = Open<'insufficient_funds' | 'authentication_failed' | 'limit_exceeded' | 'payer_declined'
  | 'instrument_blocked' | 'issuer_down' | 'timed_out' | 'risk' | 'unknown'>
export type SimulatedOutcome = 'success' | 'failure' | 'pending' | 'expire' | 'late_success' | 'amount_mismatch'
  | 'network_timeout'
export type ResendTarget = 'original' | 'current'
export type AttemptError = 'timeout' | 'name_not_resolved' | 'connection_refused' | 'connection_closed' | 'connection_failed'
  | 'not_tls' | 'tls_version_unsupported' | 'tls_failed' | 'certificate_expired' | 'certificate_not_yet_valid'
  | 'certificate_wrong_name' | 'certificate_chain_incomplete' | 'certificate_untrusted' | 'certificate_invalid'
  | 'response_invalid' | 'no_endpoint' | 'endpoint_disabled' | 'not_signed' | 'address_refused' | 'address_refused: loopback'
  | 'address_refused: unspecified' | 'address_refused: private' | 'address_refused: link_local'
  | 'address_refused: carrier_grade_nat' | 'address_refused: metadata' | 'address_refused: multicast'
  | 'address_refused: broadcast' | 'address_refused: reserved' | 'address_refused: embedded_ipv4'
  | 'address_refused: private_name' | 'address_refused: not_an_address'
export type AddressKind = 'loopback' | 'unspecified' | 'private' | 'link_local' | 'carrier_grade_nat' | 'metadata' | 'multicast'
  | 'broadcast' | 'reserved' | 'embedded_ipv4' | 'private_name' | 'not_an_address'
export type ProblemCode = 'audit_unavailable' | 'backlog' | 'body_not_utf8' | 'body_too_large' | 'broker_unavailable'
  | 'content_type_unsupported' | 'contention' | 'credential_in_use' | 'credential_not_found' | 'credential_protected'
  | 'credentials_busy' | 'credentials_invalid' | 'database_unavailable' | 'delivery_busy' | 'delivery_not_dead'
  | 'delivery_not_found' | 'endpoint_busy' | 'endpoint_disabled' | 'endpoint_missing' | 'endpoint_not_found'
  | 'expectation_failed' | 'forbidden' | 'gateway_unavailable' | 'headers_too_large' | 'intent_unavailable' | 'internal_error'
  | 'keys_unavailable' | 'malformed_json' | 'malformed_request' | 'method_not_allowed' | 'network_busy' | 'network_unavailable'
  | 'not_found' | 'not_ready' | 'order_api_unavailable' | 'order_id_conflict' | 'order_not_found' | 'order_not_payable'
  | 'order_not_refundable' | 'overloaded' | 'payment_finished' | 'payment_not_found' | 'payment_status_unavailable'
  | 'publish_overloaded' | 'publish_refused' | 'publish_returned' | 'publish_timeout' | 'rate_limited' | 'refund_exceeds_captured'
  | 'refund_id_conflict' | 'refund_not_found' | 'refund_window_closed' | 'refunds_not_supported' | 'request_timeout'
  | 'scope_missing' | 'settlement_not_found' | 'signature_invalid' | 'token_expired' | 'token_invalid' | 'token_missing'
  | 'too_many_credentials' | 'too_many_listeners' | 'too_many_refunds' | 'too_many_reports' | 'too_many_secrets'
  | 'transaction_not_found' | 'upstream_failed' | 'upstream_timeout' | 'upstream_unavailable' | 'validation_failed'

/** What `orders.create` sends. */
export interface NewOrder {
  /** 3 to 45 letters, digits, - or _; a card number is refused. */
  readonly order_id: string
  /** Rupees as text with at most two decimals, such as "499.00". */
  readonly amount: string
  readonly currency?: 'INR'
  /** An object with name, and with email or phone or both. */
  readonly customer: {
    /** Text of 1 to 64 characters without control characters; a card number is refused. */
    readonly id?: string
    /** Text of 1 to 100 characters without control characters; a card number is refused. */
    readonly name: string
    /** An e-mail address of at most 254 characters. */
    readonly email?: string
    /**
     * An Indian mobile number such as 98765 43210, or a foreign number with its country such as +1 415 555 2671; kept as E.164, such as
     * +919876543210; more spellings are accepted than the pattern of this document shows.
     */
    readonly phone?: string
  }
  /** A list of at least one payment method, each of them once; all by default. */
  readonly methods?: readonly OrderMethod[]
  /** A whole number of seconds from 5 to 3600. */
  readonly expires_in?: number
  /** A whole number from 1 to 5. */
  readonly max_attempts?: number
  /** Text of at most 50 characters without control characters; a card number is refused; also the note of the UPI link. */
  readonly description?: string
  /**
   * An HTTPS URL of at most 250 characters, or one that begins with http://localhost; the shopper comes back with the parameters
   * order_id and status; a name that the URL already has becomes payment_order_id or payment_status; a card number is refused.
   */
  readonly return_url?: string
  /** Text of at most 256 characters without control characters; a card number is refused. */
  readonly udf1?: string
  /** Text of at most 256 characters without control characters; a card number is refused. */
  readonly udf2?: string
  /** Text of at most 256 characters without control characters; a card number is refused. */
  readonly udf3?: string
}

/** Where the shopper pays. */
export interface CheckoutLinks {
  /** The hosted checkout page. */
  readonly url: string
  /** The UPI link; empty when the order does not accept UPI. */
  readonly intent: string
}

/** The answer to `orders.create`. */
export interface CreatedOrder {
  readonly order: { readonly order_id: string }
  readonly transaction: {
    /** Uppercase letters and digits, at most 35; also the UPI transaction reference. */
    readonly id: string
    readonly status: Open<'Initiate'>
    /** Rupees with two decimals. */
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
  /** The network's reason; null when it gave none. */
  readonly failure_code: FailureCode | null
  readonly reference: string | null
  /** The bank's number of the payment, which the shopper's bank shows, too. */
  readonly rrn: string | null
  readonly started_at: string
  readonly ended_at: string | null
}

/** Money that goes back to the shopper because the order could not accept it. */
export interface Reversal {
  readonly reference: string
  /** Rupees with two decimals. */
  readonly amount: string
  readonly reason: Open<'late' | 'duplicate' | 'amount_mismatch'>
  readonly status: Open<'pending' | 'succeeded' | 'failed'>
  /** The bank's number of the reversal; null until the network has told it. */
  readonly rrn: string | null
  readonly requested_at: string
  readonly completed_at: string | null
}

/** What `refunds.create` sends. */
export interface NewRefund {
  /** 3 to 45 letters, digits, - or _; a card number is refused. */
  readonly order_id: string
  /** 3 to 45 letters, digits, - or _; a card number is refused; the merchant's own id, unique per order. */
  readonly refund_id: string
  /** Rupees as text with at most two decimals, such as "499.00", at least "0.01". */
  readonly amount: string
  /** returned, duplicate, not_delivered, other. */
  readonly reason?: 'returned' | 'duplicate' | 'not_delivered' | 'other'
  /** Text of at most 50 characters without control characters; a card number is refused. */
  readonly note?: string
}

/** Money of the payment that goes back at the merchant's wish. */
export interface Refund {
  /** The transaction id, R and two digits; at most 29 letters and digits. */
  readonly id: string
  /** The merchant's own id. */
  readonly refund_id: string
  /** The refunded order. */
  readonly order_id: string
  /** The order's transaction. */
  readonly transaction_id: string
  /** Rupees with two decimals. */
  readonly amount: string
  readonly currency: Open<'INR'>
  readonly status: Open<'pending' | 'succeeded' | 'failed' | 'returned'>
  /** Why it is pending; else null. */
  readonly pending_reason: Open<'queued' | 'processing' | 'insufficient_funds' | 'no_answer'> | null
  /** Why the network declined the refund; null when it did not. */
  readonly failure_code: FailureCode | null
  /** The network's reference number of the refund; null until the network names it. */
  readonly rrn: string | null
  /** Counts the changes of status; 1 is the first pending. */
  readonly sequence: number
  readonly reason: Open<'returned' | 'duplicate' | 'not_delivered' | 'other'>
  /** The merchant's own note; empty when there is none. */
  readonly note: string
  /** When the refund was accepted. */
  readonly created_at: string
  /** When its status or pending_reason last changed. */
  readonly updated_at: string
  /** When it succeeded or failed; null while it is pending. */
  readonly completed_at: string | null
}

/** An order with its transaction: the truth about a payment. Confirm every webhook with it. */
export interface Order {
  readonly order: {
    readonly order_id: string
    readonly customer: {
      readonly id: string | null
      readonly name: string | null
      readonly email: string | null
      /** E.164, such as +919876543210. */
      readonly phone: string | null
    }
    readonly description: string
    readonly return_url: string | null
    readonly udf1: string
    readonly udf2: string
    readonly udf3: string
  }
  readonly transaction: {
    /** Uppercase letters and digits, at most 35; also the UPI transaction reference. */
    readonly id: string
    readonly status: TransactionStatus
    /** Rupees with two decimals. */
    readonly amount: string
    readonly currency: Open<'INR'>
    readonly method: PaymentMethod | null
    readonly rrn: string | null
    readonly failure_reason: FailureReason | null
    /** Why the network declined the payment that failed the transaction; null when no decline did. */
    readonly failure_code: FailureCode | null
    readonly payer: { readonly name: string; readonly vpa: string } | null
    readonly attempts: readonly Attempt[]
    readonly reversals: readonly Reversal[]
    readonly refunds: readonly Refund[]
    /** The sum of the succeeded refunds, in rupees with two decimals. */
    readonly amount_refunded: string
    /** What can still be refunded, in rupees with two decimals: the capture without pending and succeeded refunds. */
    readonly amount_refundable: string
    /** Grows by one with each change of the status. */
    readonly sequence: number
    readonly created_at: string
    readonly updated_at: string
    readonly expires_at: string
  }
  readonly checkout: CheckoutLinks | null
}

/** Filters for a list of orders. Without a filter, every order is listed. */
export interface OrdersQuery {
  /** A time with its zone, such as 2026-11-21T10:00:00+05:30: orders created then or later; not later than to. */
  readonly from?: string
  /** A time with its zone, such as 2026-11-21T10:00:00+05:30: orders created before it. */
  readonly to?: string
  /** 3 to 45 letters, digits, - or _; a card number is refused. */
  readonly order_id?: string
  /** Rupees as text, such as "499.00": orders of at least this amount; not more than amount_max. */
  readonly amount_min?: string
  /** Rupees as text, such as "499.00": orders of at most this amount. */
  readonly amount_max?: string
  /** A whole number from 1 to 100; 20 by default. */
  readonly limit?: number
  /** One of Initiate, Pending, Success, Failed. */
  readonly status?: 'Initiate' | 'Pending' | 'Success' | 'Failed'
  /** The instrument that paid: one of upi, credit_card, debit_card, netbanking. */
  readonly method?: 'upi' | 'credit_card' | 'debit_card' | 'netbanking'
  /** The bank's number (RRN) of any attempt, reversal or refund of the order. */
  readonly rrn?: string
  /** The UPI address of the payer, such as asha@okbank. */
  readonly payer_vpa?: string
  /** One of none, partial, full. */
  readonly refund_state?: 'none' | 'partial' | 'full'
}

/** One order in a list. */
export interface ListedOrder {
  /** The id that the merchant gave to the order. */
  readonly order_id: string
  /** The id of its transaction. */
  readonly transaction_id: string
  /** The status of the transaction. */
  readonly status: TransactionStatus
  /** The number of the latest status change, from 1. */
  readonly sequence: number
  /** Rupees with two decimals. */
  readonly amount: string
  readonly currency: Open<'INR'>
  /** The instrument that paid, once it is known. */
  readonly method: PaymentMethod | null
  /** The retrieval reference number, once it is known. */
  readonly rrn: string | null
  /** Why the network declined the payment; null when it did not. */
  readonly failure_code: FailureCode | null
  /** How much of the payment was refunded. */
  readonly refund_state: Open<'none' | 'partial' | 'full'>
  /** Rupees with two decimals. */
  readonly amount_refunded: string
  /** When the order was created. */
  readonly created_at: string
  /** When the status became final; null before. */
  readonly final_at: string | null
}

/** Filters for a list of refunds. Without a filter, every refund is listed. */
export interface RefundsQuery {
  /** A time with its zone, such as 2026-11-21T10:00:00+05:30: refunds created then or later; not later than to. */
  readonly from?: string
  /** A time with its zone, such as 2026-11-21T10:00:00+05:30: refunds created before it. */
  readonly to?: string
  /** 3 to 45 letters, digits, - or _; a card number is refused. */
  readonly order_id?: string
  /** Rupees as text, such as "499.00": refunds of at least this amount; not more than amount_max. */
  readonly amount_min?: string
  /** Rupees as text, such as "499.00": refunds of at most this amount. */
  readonly amount_max?: string
  /** A whole number from 1 to 100; 20 by default. */
  readonly limit?: number
  /** One of pending, succeeded, failed, returned. */
  readonly status?: 'pending' | 'succeeded' | 'failed' | 'returned'
  /** The merchant's own id of the refund, which is unique per order. */
  readonly refund_id?: string
  /** The retrieval reference number of the refund. */
  readonly rrn?: string
}

/** Something that happened to an order. */
export interface TimelineEvent {
  /** When it happened. */
  readonly at: string
  /** What happened, such as order.created, status.changed or webhook.attempt; later versions add some. */
  readonly kind: string
  /** The part of the gateway that recorded it. */
  readonly source: Open<'payments' | 'webhooks'>
  /** Of a status change, its number; of a webhook, the number of the status change that it reports; otherwise null. */
  readonly sequence: number | null
  /** Short facts by name, such as status or failure_code; later versions add some. */
  readonly detail: Readonly<Record<string, string | number | null>>
}

/** Everything that happened to an order, in the order in which it happened. */
export interface Timeline {
  readonly events: readonly TimelineEvent[]
  /** The sources that cannot be read now. */
  readonly incomplete: readonly Open<'payments' | 'webhooks'>[]
}

/** What does not work at a bank or a network. */
export interface Downtime {
  /** upi, credit_card, debit_card, netbanking. */
  readonly method: PaymentMethod
  /** The bank (the code of net banking), card network or UPI handle; null for the whole method. */
  readonly instrument: string | null
  /** low: as good as usual; medium: some payments fail or are slow; high: payments do not work. */
  readonly severity: Open<'low' | 'medium' | 'high'>
  /** When it began or begins. */
  readonly began_at: string
  /** When it ended or ends; null while that is unknown. */
  readonly ended_at: string | null
}

/** Filters for a list of settlements. Without a filter, every settlement is listed. */
export interface SettlementsQuery {
  /** A day such as 2026-11-21: settlements of that day or later; not later than to. */
  readonly from?: string
  /** A day such as 2026-11-21: settlements of that day or earlier. */
  readonly to?: string
  /** A whole number from 1 to 100; 20 by default. */
  readonly limit?: number
}

/** What the bank paid to you, or took, in one transfer. Lines that failed are not in the sums. */
export interface Settlement {
  /** The bank's id of the settlement. */
  readonly id: string
  /** The day of the settlement, such as 2026-11-21. */
  readonly settled_on: string
  /** The bank's reference of the transfer. */
  readonly utr: string | null
  /** The number of its lines. */
  readonly lines: number
  readonly currency: Open<'INR'>
  /** The sum of all credits, in rupees. */
  readonly credit: string
  /** The sum of all debits, in rupees. */
  readonly debit: string
  /** The sum of all fees, in rupees. */
  readonly fee: string
  /** The sum of all taxes on fees, in rupees. */
  readonly tax: string
  /** Credit minus debit, fee and tax; begins with a minus sign when the bank took more than it paid. */
  readonly net: string
}

/** One movement of money in a settlement, as the bank settled it. */
export interface SettlementLine {
  /** What was settled: one of capture, unwanted_capture, reversal, refund, refund_return. */
  readonly kind: Open<'capture' | 'unwanted_capture' | 'reversal' | 'refund' | 'refund_return'>
  /** credit: for the merchant; debit: from the merchant. */
  readonly direction: Open<'credit' | 'debit'>
  /** The network's id of the payment; of a refund, the refund's id. */
  readonly reference: string
  /** The id that the merchant gave to the order. */
  readonly order_id: string
  /** The id of its transaction. */
  readonly transaction_id: string
  /** The retrieval reference number, once it is known. */
  readonly rrn: string | null
  /** The instrument that paid. */
  readonly method: PaymentMethod | null
  /** Rupees with two decimals. */
  readonly amount: string
  /** Rupees with two decimals. */
  readonly fee: string
  /** Rupees with two decimals. */
  readonly tax: string
  readonly currency: Open<'INR'>
  /** The status that the bank reports: pending, succeeded or failed. */
  readonly status: Open<'pending' | 'succeeded' | 'failed'>
}

/** Where the gateway sends webhooks. */
export interface Endpoint {
  /** The URL as it was registered. */
  readonly url: string
  /** The URL receives the webhooks of orders created from this time on. */
  readonly since: string
  readonly disabled: {
    /** Nothing is sent to the URL after this time until it is enabled or registered again. */
    readonly at: string
    /** gone: the URL answered 410; failing: it acknowledged no webhook for days. */
    readonly reason: Open<'gone' | 'failing'>
  } | null
}

/** The answer to `endpoint.register`. */
export interface RegisteredEndpoint extends Endpoint {
  /** whsec_…; only in the answer to the first registration. */
  readonly signing_secret?: string
}

/** The answer to `endpoint.rotateSecret`. */
export interface RotatedSecret {
  /** whsec_…; only in this answer. */
  readonly signing_secret: string
  /** Until then webhooks are signed with the previous secret, too. */
  readonly previous_secret_until: string
}

/** How the endpoint answered a test webhook. */
export interface TestResult {
  /** `null` when the endpoint did not answer; then error says why. */
  readonly status_code: number | null
  readonly duration_ms: number
  /** `null` when there was an answer. */
  readonly error: Open<AttemptError> | null
}

/** Filters for a list of deliveries. */
export interface DeliveriesQuery {
  /** Text of 1 to 256 characters without control characters; a card number is refused. */
  readonly order_id?: string
  /** A whole number from 1 to 100. */
  readonly limit?: number
}

/** One attempt to deliver a webhook. */
export interface DeliveryAttempt {
  readonly at: string
  readonly duration_ms: number
  /** `null` when the endpoint did not answer; then error says why. */
  readonly status_code: number | null
  /** `null` when there was an answer. */
  readonly error: Open<AttemptError> | null
  readonly response_excerpt: string | null
}

/** One webhook and every attempt to deliver it. */
export interface Delivery {
  readonly id: string
  /** What the webhook tells about. */
  readonly channel: Open<'payment' | 'refund'>
  readonly order_id: string
  readonly transaction_id: string
  readonly sequence: number
  readonly status: Open<'delivered' | 'retrying' | 'dead'>
  /** `null` when no endpoint was registered when the order was created. */
  readonly url: string | null
  /**
   * `null` unless retrying; while a webhook waits because the server is failing or busy, it can be up to a minute in the past.
   */
  readonly next_attempt_at: string | null
  readonly attempts: readonly DeliveryAttempt[]
}

/** What `deliveries.recover` did. */
export interface Recovered {
  /** Dead deliveries that are sent again. */
  readonly count: number
  /** Deliveries without a URL, whose URL is disabled, or that something else was changing at that moment. */
  readonly skipped: number
}

/** The body of a webhook of a payment. All values are texts. */
export interface WebhookPayload {
  /** data.transaction.id. */
  readonly txnid: string
  /** The order_id. */
  readonly merchantTxnId: string
  readonly amount: string
  /** Empty until known. */
  readonly rrn: string
  readonly status: TransactionStatus
  readonly metadata: {
    readonly udf1: string
    readonly udf2: string
    readonly udf3: string
  }
  /** The time of the change in IST, YYYY-MM-DD HH:mm:ss. */
  readonly datetime: string
  /** Only once a UPI payer is known. */
  readonly payee?: { readonly name: string; readonly vpa: string }
}

/** The body of a webhook of a refund. */
export interface RefundWebhookPayload {
  /** refund. and the new status. */
  readonly type: Open<'refund.pending' | 'refund.succeeded' | 'refund.failed' | 'refund.returned'>
  /** The time of the change. */
  readonly timestamp: string
  readonly data: Refund
}

/** What `sandbox.simulate` sends. */
export interface SimulateOptions {
  /** 3 to 45 letters, digits, - or _; a card number is refused. */
  readonly order_id: string
  /** success, failure, pending, expire, late_success, amount_mismatch, network_timeout. */
  readonly outcome: SimulatedOutcome
  /** A method that the order takes; by default upi, or else the first that it takes. */
  readonly method?: 'upi' | 'credit_card' | 'debit_card' | 'netbanking'
  /**
   * A whole number of milliseconds from 0 to 60000; until the outcome, and a payment that ends later is reported pending at once.
   */
  readonly delay_ms?: number
  /** A whole number from 0 to 10; how many more times the outcome is reported, under the same webhook-id. */
  readonly duplicates?: number
  /** True or false; pending is reported after the outcome instead of before it. */
  readonly reorder?: boolean
}

/** The simulation has started. */
export interface Simulation {
  /** The network's reference of the payment; null when there is no payment. */
  readonly payment_id: string | null
  readonly order_id: string
  readonly outcome: Open<SimulatedOutcome>
}
