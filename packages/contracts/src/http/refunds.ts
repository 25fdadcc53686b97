import { compile, type FromSchema } from '../schema.ts'
import { REFUND_PENDING_REASONS, REFUND_REASONS, REFUND_STATUSES } from '../refund.ts'
import { FAILURE_CODES } from '../transaction.ts'
import { AMOUNT_SCHEMA, ORDER_ID_SCHEMA, plainText } from './create-order.ts'

/** An amount that is not zero. */
const REFUND_AMOUNT_SCHEMA = {
  type: 'string',
  pattern: '^([1-9]\\d{0,7}(\\.\\d{1,2})?|0\\.([1-9]\\d?|0[1-9]))$',
  description: `${AMOUNT_SCHEMA.description}, at least "0.01"`,
} as const

/** The body of `POST /api/v1/refunds` (design, section 10). */
export const createRefundSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['order_id', 'refund_id', 'amount'],
  properties: {
    order_id: ORDER_ID_SCHEMA,
    refund_id: { ...ORDER_ID_SCHEMA, description: `${ORDER_ID_SCHEMA.description}; the merchant's own id, unique per order` },
    amount: REFUND_AMOUNT_SCHEMA,
    reason: { enum: REFUND_REASONS, default: 'other', description: REFUND_REASONS.join(', ') },
    note: { ...plainText(50), default: '' },
  },
} as const
export type CreateRefundRequest = FromSchema<typeof createRefundSchema>
export const createRefundRequest = compile(createRefundSchema)

/** The query of `GET /api/v1/refunds/:id`. */
export const findRefundSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    order_id: { ...ORDER_ID_SCHEMA, description: 'the refunded order: id is then the refund_id, which is unique per order' },
  },
} as const
export type FindRefundQuery = FromSchema<typeof findRefundSchema>
export const findRefundQuery = compile(findRefundSchema)

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const time = { type: 'string', format: 'date-time' } as const

/** A refund in answers, in events and in webhooks. */
export const REFUND_VIEW_PROPERTIES = {
  /** `<transaction id>R<nn>`. */
  id: text,
  /** The merchant's own id. */
  refund_id: text,
  order_id: text,
  transaction_id: text,
  amount: text,
  currency: { const: 'INR' },
  status: { enum: REFUND_STATUSES },
  pending_reason: { enum: [...REFUND_PENDING_REASONS, null] },
  failure_code: { enum: [...FAILURE_CODES, null] },
  rrn: textOrNull,
  sequence: { type: 'integer', minimum: 1 },
  reason: { enum: REFUND_REASONS },
  note: text,
  created_at: time,
  updated_at: time,
  completed_at: { type: ['string', 'null'], format: 'date-time' },
} as const

export const REFUND_VIEW_KEYS = [
  'id',
  'refund_id',
  'order_id',
  'transaction_id',
  'amount',
  'currency',
  'status',
  'pending_reason',
  'failure_code',
  'rrn',
  'sequence',
  'reason',
  'note',
  'created_at',
  'updated_at',
  'completed_at',
] as const satisfies readonly (keyof typeof REFUND_VIEW_PROPERTIES)[]

export const refundViewSchema = {
  type: 'object',
  additionalProperties: false,
  required: REFUND_VIEW_KEYS,
  properties: REFUND_VIEW_PROPERTIES,
} as const
export type RefundView = FromSchema<typeof refundViewSchema>

/** `201`, `200` when the same fields are sent again, and the answer of `GET /api/v1/refunds/:id`. */
export interface RefundResponse {
  readonly data: { readonly refund: RefundView }
}
