import {
  currency,
  CURSOR_PATTERN,
  enumOrNull,
  integer,
  ledgerPageOf,
  listOf,
  optionalFields,
  requiredFields,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { FAILURE_CODES, PAYMENT_METHODS, TRANSACTION_STATUSES, REFUND_STATUSES } from '../transaction.ts'
import { VPA_PATTERN } from '../upi-intent.ts'
import { AMOUNT_SCHEMA, ORDER_ID_SCHEMA } from './create-order.ts'
import { refundViewSchema } from './refunds.ts'

/** How much of a captured payment was given back by refunds. */
export const REFUND_STATES = ['none', 'partial', 'full'] as const
export type RefundState = (typeof REFUND_STATES)[number]

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

/** The query parameters that lists of orders and of refunds have in common. */
export function commonFilters(what: 'orders' | 'refunds') {
  const instant = 'a time with its zone, such as 2026-11-21T10:00:00+05:30'
  const amount = 'rupees as text, such as "499.00"'
  return {
    from: { ...time, description: `${instant}: ${what} created then or later; not later than to` },
    to: { ...time, description: `${instant}: ${what} created before it` },
    order_id: ORDER_ID_SCHEMA,
    amount_min: { ...AMOUNT_SCHEMA, description: `${amount}: ${what} of at least this amount; not more than amount_max` },
    amount_max: { ...AMOUNT_SCHEMA, description: `${amount}: ${what} of at most this amount` },
    ...PAGE_PROPERTIES,
  } as const
}

/** The query parameters of `GET /api/v1/orders`, which are all text. */
export const listOrdersSchema = optionalFields({
  ...commonFilters('orders'),
  status: { enum: TRANSACTION_STATUSES, description: `one of ${TRANSACTION_STATUSES.join(', ')}` },
  method: { enum: PAYMENT_METHODS, description: `the instrument that paid: one of ${PAYMENT_METHODS.join(', ')}` },
  rrn: { ...RRN_SCHEMA, description: "the bank's number (RRN) of any attempt, reversal or refund of the order" },
  payer_vpa: { type: 'string', pattern: VPA_PATTERN, description: 'the UPI address of the payer, such as asha@okbank' },
  refund_state: { enum: REFUND_STATES, description: `one of ${REFUND_STATES.join(', ')}` },
})
export type ListOrdersQuery = FromSchema<typeof listOrdersSchema>
export const listOrdersQuery = compile(listOrdersSchema)

/** One order in a list. */
export const listedOrderSchema = requiredFields({
  order_id: { ...text, description: 'the id that the merchant gave to the order' },
  transaction_id: { ...text, description: 'the id of its transaction' },
  status: { enum: TRANSACTION_STATUSES, description: 'the status of the transaction' },
  sequence: { ...integer, description: 'the number of the latest status change, from 1' },
  amount: { ...text, description: 'rupees with two decimals' },
  currency,
  method: { ...enumOrNull(PAYMENT_METHODS), description: 'the instrument that paid, once it is known' },
  rrn: { ...textOrNull, description: 'the retrieval reference number, once it is known' },
  failure_code: { ...enumOrNull(FAILURE_CODES), description: 'why the network declined the payment; null when it did not' },
  refund_state: { enum: REFUND_STATES, description: 'how much of the payment was refunded' },
  amount_refunded: { ...text, description: 'rupees with two decimals' },
  created_at: { ...time, description: 'when the order was created' },
  final_at: { ...timeOrNull, description: 'when the status became final; null before' },
})
export type ListedOrder = FromSchema<typeof listedOrderSchema>

export const ordersPageSchema = ledgerPageOf({ orders: listOf(listedOrderSchema) })
export type OrdersPage = FromSchema<typeof ordersPageSchema>

/** The query parameters of `GET /api/v1/refunds`, which are all text. */
export const listRefundsSchema = optionalFields({
  ...commonFilters('refunds'),
  status: { enum: REFUND_STATUSES, description: `one of ${REFUND_STATUSES.join(', ')}` },
  refund_id: { ...ORDER_ID_SCHEMA, description: "the merchant's own id of the refund, which is unique per order" },
  rrn: { ...RRN_SCHEMA, description: 'the retrieval reference number of the refund' },
})
export type ListRefundsQuery = FromSchema<typeof listRefundsSchema>
export const listRefundsQuery = compile(listRefundsSchema)

export const refundsPageSchema = ledgerPageOf({ refunds: listOf(refundViewSchema) })
export type RefundsPage = FromSchema<typeof refundsPageSchema>
