import type { Open } from './open.ts'
import type { FailureCode, PaymentMethod, TransactionStatus } from './orders.ts'

/** Filters for a list of orders. Without a filter, every order is listed. Times need a zone. */
export interface OrdersQuery {
  /** Created at this time or later. */
  readonly from?: string
  /** Created before this time. */
  readonly to?: string
  readonly status?: 'Initiate' | 'Pending' | 'Success' | 'Failed'
  /** The instrument that paid. */
  readonly method?: 'upi' | 'credit_card' | 'debit_card' | 'netbanking'
  readonly order_id?: string
  readonly rrn?: string
  readonly payer_vpa?: string
  readonly refund_state?: 'none' | 'partial' | 'full'
  readonly amount_min?: string
  readonly amount_max?: string
  /** The size of a page, 1 to 100. */
  readonly limit?: number
}

/** Filters for a list of refunds. Without a filter, every refund is listed. Times need a zone. */
export interface RefundsQuery {
  /** Created at this time or later. */
  readonly from?: string
  /** Created before this time. */
  readonly to?: string
  readonly status?: 'pending' | 'succeeded' | 'failed' | 'returned'
  readonly order_id?: string
  /** Your own id, unique per order. */
  readonly refund_id?: string
  readonly rrn?: string
  readonly amount_min?: string
  readonly amount_max?: string
  /** The size of a page, 1 to 100. */
  readonly limit?: number
}

/** What does not work at a bank or a network. */
export interface Downtime {
  readonly method: Open<PaymentMethod>
  /** The bank, card network or UPI handle; `null` for the whole method. */
  readonly instrument: string | null
  /** `high`: payments do not work; `medium`: some fail or are slow. */
  readonly severity: Open<'low' | 'medium' | 'high'>
  readonly began_at: string
  /** When it ends, if that is known. */
  readonly ended_at: string | null
}

/** One order in a list. */
export interface ListedOrder {
  readonly order_id: string
  readonly transaction_id: string
  readonly status: TransactionStatus
  readonly sequence: number
  readonly amount: string
  readonly currency: Open<'INR'>
  readonly method: PaymentMethod | null
  readonly rrn: string | null
  /** Why the network declined it; `null` when it did not. */
  readonly failure_code: FailureCode | null
  readonly refund_state: Open<'none' | 'partial' | 'full'>
  readonly amount_refunded: string
  readonly created_at: string
  /** When the status became final; `null` before. */
  readonly final_at: string | null
}

/** Something that happened to an order. */
export interface TimelineEvent {
  readonly at: string
  /** Such as `order.created`, `attempt.failed`, `status.changed` or `webhook.attempt`. */
  readonly kind: string
  readonly source: Open<'payments' | 'webhooks'>
  readonly sequence: number | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** Everything that happened to an order, in the order in which it happened. */
export interface Timeline {
  readonly events: readonly TimelineEvent[]
  /** The sources that could not be read now. */
  readonly incomplete: readonly Open<'payments' | 'webhooks'>[]
}

/** Filters for a list of settlements. Without a filter, every settlement is listed. Both days are included. */
export interface SettlementsQuery {
  /** A day such as `2026-11-21`. */
  readonly from?: string
  readonly to?: string
  /** The size of a page, 1 to 100. */
  readonly limit?: number
}

/** What the bank paid to you, or took, in one transfer. Amounts are rupees; lines that failed are not in the sums. */
export interface Settlement {
  readonly id: string
  readonly settled_on: string
  readonly utr: string | null
  readonly lines: number
  readonly currency: Open<'INR'>
  readonly credit: string
  readonly debit: string
  readonly fee: string
  readonly tax: string
  /** Credit minus debit, fee and tax; negative when the bank took more than it paid. */
  readonly net: string
}

/** One movement of money in a settlement, as the bank settled it. */
export interface SettlementLine {
  readonly kind: Open<'capture' | 'unwanted_capture' | 'reversal' | 'refund' | 'refund_return'>
  readonly direction: 'credit' | 'debit'
  readonly reference: string
  readonly order_id: string
  readonly transaction_id: string
  readonly rrn: string | null
  readonly method: PaymentMethod | null
  readonly amount: string
  readonly fee: string
  readonly tax: string
  readonly currency: Open<'INR'>
  readonly status: Open<'pending' | 'succeeded' | 'failed'>
}
