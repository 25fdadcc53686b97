import { REFUND_PENDING_REASONS, REFUND_REASONS, REFUND_STATUSES, FAILURE_CODES } from '../transaction.ts'
import {
  currency,
  dataOf,
  enumOrNull,
  exactFields,
  integer,
  optionalFields,
  plainText,
  requiredFields,
  rupees,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { AMOUNT_SCHEMA, ORDER_ID_SCHEMA } from './create-order.ts'

/** An amount that is not zero. */
const REFUND_AMOUNT_SCHEMA = {
  type: 'string',
  pattern: '^([1-9]\\d{0,7}(\\.\\d{1,2})?|0\\.([1-9]\\d?|0[1-9]))$',
  description: `${AMOUNT_SCHEMA.description}, at least "0.01"`,
} as const

/** The body of `POST /api/v1/refunds` (design, section 10). */
export const createRefundSchema = exactFields(
  {
    order_id: ORDER_ID_SCHEMA,
    refund_id: { ...ORDER_ID_SCHEMA, description: `${ORDER_ID_SCHEMA.description}; the merchant's own id, unique per order` },
    amount: REFUND_AMOUNT_SCHEMA,
  },
  {
    reason: { enum: REFUND_REASONS, default: 'other', description: REFUND_REASONS.join(', ') },
    note: { ...plainText(50), default: '' },
  },
)
export type CreateRefundRequest = FromSchema<typeof createRefundSchema>
export const createRefundRequest = compile(createRefundSchema)

/** The query of `GET /api/v1/refunds/:id`. */
export const findRefundSchema = optionalFields({
  order_id: { ...ORDER_ID_SCHEMA, description: 'the refunded order: id is then the refund_id, which is unique per order' },
})
export type FindRefundQuery = FromSchema<typeof findRefundSchema>
export const findRefundQuery = compile(findRefundSchema)

/** A refund in answers, in events and in webhooks. */
export const refundViewSchema = requiredFields({
  id: { ...text, description: 'the transaction id, R and two digits; at most 29 letters and digits' },
  refund_id: { ...text, description: "the merchant's own id" },
  order_id: { ...text, description: 'the refunded order' },
  transaction_id: { ...text, description: "the order's transaction" },
  amount: rupees,
  currency,
  status: { enum: REFUND_STATUSES },
  pending_reason: { ...enumOrNull(REFUND_PENDING_REASONS), description: 'why it is pending; else null' },
  failure_code: { ...enumOrNull(FAILURE_CODES), description: 'why the network declined the refund; null when it did not' },
  rrn: { ...textOrNull, description: "the network's reference number of the refund; null until the network names it" },
  sequence: { ...integer, minimum: 1, description: 'counts the changes of status; 1 is the first pending' },
  reason: { enum: REFUND_REASONS },
  note: { ...text, description: "the merchant's own note; empty when there is none" },
  created_at: { ...time, description: 'when the refund was accepted' },
  updated_at: { ...time, description: 'when its status or pending_reason last changed' },
  completed_at: { ...timeOrNull, description: 'when it succeeded or failed; null while it is pending' },
})
export type RefundView = FromSchema<typeof refundViewSchema>

/** `201`, `200` when the same fields are sent again, and the answer of `GET /api/v1/refunds/:id`. */
export const refundResponseSchema = dataOf({ refund: refundViewSchema })
export type RefundResponse = FromSchema<typeof refundResponseSchema>
