import { ORDER_TEXT_PROPERTIES } from '../order-texts.ts'
import {
  currency,
  enumOrNull,
  exactFields,
  integer,
  listOf,
  orNull,
  requiredFields,
  rupees,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { FAILURE_CODES, FAILURE_REASONS, PAYMENT_METHODS, REVERSAL_REASONS, TRANSACTION_STATUSES } from '../transaction.ts'
import { checkoutLinksSchema, ORDER_ID_SCHEMA, TRANSACTION_ID_VIEW_SCHEMA } from './create-order.ts'
import { refundViewSchema } from './refunds.ts'

export const searchOrderSchema = exactFields({ order_id: ORDER_ID_SCHEMA })

export const searchOrderRequest = compile(searchOrderSchema)

/** `reversed`: the network captured money that the order could not accept, and the money is given back. */
export const ATTEMPT_STATUSES = ['open', 'abandoned', 'succeeded', 'failed', 'reversed'] as const
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number]

export const REVERSAL_STATUSES = ['pending', 'succeeded', 'failed'] as const
export type ReversalStatus = (typeof REVERSAL_STATUSES)[number]

/** One payment that was tried. */
export const attemptViewSchema = requiredFields({
  id: text,
  method: { enum: PAYMENT_METHODS },
  status: { enum: ATTEMPT_STATUSES },
  failure_reason: enumOrNull(FAILURE_REASONS),
  failure_code: { ...enumOrNull(FAILURE_CODES), description: "the network's reason; null when it gave none" },
  reference: textOrNull,
  rrn: { ...textOrNull, description: "the bank's number of the payment, which the shopper's bank shows, too" },
  started_at: time,
  ended_at: timeOrNull,
})
export type AttemptView = FromSchema<typeof attemptViewSchema>

/** Money that goes back to the shopper because the order could not accept it. */
export const reversalViewSchema = requiredFields({
  reference: text,
  amount: rupees,
  reason: { enum: REVERSAL_REASONS },
  status: { enum: REVERSAL_STATUSES },
  rrn: { ...textOrNull, description: "the bank's number of the reversal; null until the network has told it" },
  requested_at: time,
  completed_at: timeOrNull,
})
export type ReversalView = FromSchema<typeof reversalViewSchema>

/** The shopper as the merchant gave them; every field is `null` once the customer is purged. */
export const customerViewSchema = requiredFields({
  id: textOrNull,
  name: textOrNull,
  email: textOrNull,
  phone: { ...textOrNull, description: 'E.164, such as +919876543210' },
})
export type CustomerView = FromSchema<typeof customerViewSchema>

/** The answer of `POST /api/v1/order/search`: every key is always present, `null` until known. */
export const searchOrderResponseSchema = requiredFields({
  data: requiredFields({
    order: requiredFields({ order_id: text, customer: customerViewSchema, ...ORDER_TEXT_PROPERTIES }),
    transaction: requiredFields({
      id: TRANSACTION_ID_VIEW_SCHEMA,
      status: { enum: TRANSACTION_STATUSES },
      amount: rupees,
      currency,
      method: enumOrNull(PAYMENT_METHODS),
      rrn: textOrNull,
      failure_reason: enumOrNull(FAILURE_REASONS),
      failure_code: {
        ...enumOrNull(FAILURE_CODES),
        description: 'why the network declined the payment that failed the transaction; null when no decline did',
      },
      payer: orNull(requiredFields({ name: text, vpa: text })),
      attempts: listOf(attemptViewSchema),
      reversals: listOf(reversalViewSchema),
      refunds: listOf(refundViewSchema),
      amount_refunded: { ...rupees, description: 'the sum of the succeeded refunds, in rupees with two decimals' },
      amount_refundable: {
        ...rupees,
        description: 'what can still be refunded, in rupees with two decimals: the capture without pending and succeeded refunds',
      },
      sequence: { ...integer, description: 'grows by one with each change of the status' },
      created_at: time,
      updated_at: time,
      expires_at: time,
    }),
  }),
  checkout: orNull(checkoutLinksSchema),
})
export type SearchOrderResponse = FromSchema<typeof searchOrderResponseSchema>
