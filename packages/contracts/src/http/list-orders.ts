import { AMOUNT_SCHEMA, ORDER_ID_SCHEMA } from './create-order.ts'
import { CURSOR_PATTERN } from '../cursor.ts'
import { compile, type FromSchema } from '../schema.ts'
import {
  PAYMENT_METHODS,
  TRANSACTION_STATUSES,
  type FailureCode,
  type PaymentMethod,
  type TransactionStatus,
} from '../transaction.ts'
import { VPA_PATTERN } from '../vpa.ts'

/** How much of a captured payment was given back by refunds. */
export const REFUND_STATES = ['none', 'partial', 'full'] as const
export type RefundState = (typeof REFUND_STATES)[number]

const time = { type: 'string', format: 'date-time' } as const

/** The query parameters that select a page of a list. */
export const PAGE_PROPERTIES = {
  limit: { type: 'string', pattern: '^(?:[1-9]\\d?|100)$', description: 'a whole number from 1 to 100; 20 by default' },
  cursor: {
    type: 'string',
    minLength: 1,
    maxLength: 512,
    pattern: CURSOR_PATTERN,
    description: 'the next_cursor of the previous answer, with the same filters',
  },
} as const
export const RRN_SCHEMA = { type: 'string', pattern: '^[A-Za-z0-9]{1,64}$' } as const

/** The query parameters of `GET /api/v1/orders`, which are all text. */
export const listOrdersSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    from: {
      ...time,
      description: 'a time with its zone, such as 2026-11-21T10:00:00+05:30: orders created then or later; not later than to',
    },
    to: { ...time, description: 'a time with its zone, such as 2026-11-21T10:00:00+05:30: orders created before it' },
    status: { enum: TRANSACTION_STATUSES, description: `one of ${TRANSACTION_STATUSES.join(', ')}` },
    method: { enum: PAYMENT_METHODS, description: `the instrument that paid: one of ${PAYMENT_METHODS.join(', ')}` },
    order_id: ORDER_ID_SCHEMA,
    rrn: { ...RRN_SCHEMA, description: "the bank's number (RRN) of any attempt, reversal or refund of the order" },
    payer_vpa: { type: 'string', pattern: VPA_PATTERN, description: 'the UPI address of the payer, such as asha@okbank' },
    refund_state: { enum: REFUND_STATES, description: `one of ${REFUND_STATES.join(', ')}` },
    amount_min: {
      ...AMOUNT_SCHEMA,
      description: 'rupees as text, such as "499.00": orders of at least this amount; not more than amount_max',
    },
    amount_max: { ...AMOUNT_SCHEMA, description: 'rupees as text, such as "499.00": orders of at most this amount' },
    ...PAGE_PROPERTIES,
  },
} as const
export type ListOrdersQuery = FromSchema<typeof listOrdersSchema>
export const listOrdersQuery = compile(listOrdersSchema)

/** One order in a list. */
export interface ListedOrder {
  readonly order_id: string
  readonly transaction_id: string
  readonly status: TransactionStatus
  readonly sequence: number
  readonly amount: string
  readonly currency: 'INR'
  readonly method: PaymentMethod | null
  readonly rrn: string | null
  /** Why the network declined it; `null` when it did not. */
  readonly failure_code: FailureCode | null
  readonly refund_state: RefundState
  readonly amount_refunded: string
  readonly created_at: string
  /** When the status became final; `null` before. */
  readonly final_at: string | null
}

/** Newest first. A page may be short, even empty, before the last one. */
export interface OrdersPage {
  readonly data: { readonly orders: readonly ListedOrder[] }
  /** `null` on the last page. */
  readonly next_cursor: string | null
  /** Every status change up to this time is in the answer. */
  readonly as_of: string
}
