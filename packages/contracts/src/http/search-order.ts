import { compile, type FromSchema } from '../schema.ts'
import {
  FAILURE_CODES,
  FAILURE_REASONS,
  PAYMENT_METHODS,
  type FailureCode,
  type FailureReason,
  type Payer,
  type PaymentMethod,
  type ReversalReason,
  type TransactionStatus,
} from '../transaction.ts'
import { type CheckoutLinks, ORDER_ID_SCHEMA } from './create-order.ts'
import type { RefundView } from './refunds.ts'

export const searchOrderSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['order_id'],
  properties: { order_id: ORDER_ID_SCHEMA },
} as const

export const searchOrderRequest = compile(searchOrderSchema)

/** `reversed`: the network captured money that the order could not accept, and the money is given back. */
export const ATTEMPT_STATUSES = ['open', 'abandoned', 'succeeded', 'failed', 'reversed'] as const
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number]

export const REVERSAL_STATUSES = ['pending', 'succeeded', 'failed'] as const
export type ReversalStatus = (typeof REVERSAL_STATUSES)[number]

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const

export const attemptViewSchema = {
  type: 'object',
  required: ['id', 'method', 'status', 'failure_reason', 'reference', 'started_at', 'ended_at'],
  properties: {
    id: text,
    method: { enum: PAYMENT_METHODS },
    status: { enum: ATTEMPT_STATUSES },
    failure_reason: { enum: [...FAILURE_REASONS, null] },
    /** The network's reason; `null` when it gave none. Absent in answers of older replicas. */
    failure_code: { enum: [...FAILURE_CODES, null] },
    reference: textOrNull,
    /** The bank's number of the payment, which the payer's bank shows, too. */
    rrn: textOrNull,
    started_at: { type: 'string', format: 'date-time' },
    ended_at: textOrNull,
  },
} as const
export type AttemptView = FromSchema<typeof attemptViewSchema>

export interface ReversalView {
  readonly reference: string
  readonly amount: string
  readonly reason: ReversalReason
  readonly status: ReversalStatus
  /** The bank's number of the reversal; `null` until the network has told it. */
  readonly rrn: string | null
  readonly requested_at: string
  readonly completed_at: string | null
}

/** The answer of `POST /api/v1/order/search`: every key is always present, `null` until known. */
export interface SearchOrderResponse {
  readonly data: {
    readonly order: {
      readonly order_id: string
      readonly description: string
      readonly customer: CustomerView
      readonly udf1: string
      readonly udf2: string
      readonly udf3: string
      readonly return_url: string | null
    }
    readonly transaction: {
      readonly id: string
      readonly status: TransactionStatus
      readonly amount: string
      readonly currency: 'INR'
      readonly method: PaymentMethod | null
      readonly rrn: string | null
      readonly failure_reason: FailureReason | null
      /** Why the network declined the payment that failed the transaction; `null` when no decline did. */
      readonly failure_code: FailureCode | null
      readonly payer: Payer | null
      readonly attempts: readonly AttemptView[]
      readonly reversals: readonly ReversalView[]
      readonly refunds: readonly RefundView[]
      /** The sum of the succeeded refunds. */
      readonly amount_refunded: string
      /** What can still be refunded: the capture without pending and succeeded refunds. */
      readonly amount_refundable: string
      readonly sequence: number
      readonly created_at: string
      readonly updated_at: string
      readonly expires_at: string
    }
  }
  /** While the order can be paid, else `null`. */
  readonly checkout: CheckoutLinks | null
}

/** The shopper as the merchant gave them; every field is `null` once the customer is purged. */
export const customerViewSchema = {
  type: 'object',
  required: ['id', 'name', 'email', 'phone'],
  properties: { id: textOrNull, name: textOrNull, email: textOrNull, phone: textOrNull },
} as const
export type CustomerView = FromSchema<typeof customerViewSchema>
