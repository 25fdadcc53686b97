import { TRANSACTION_ID_PATTERN } from '../ids.ts'
import { refundViewSchema } from '../http/refunds.ts'
import { compile, compileReader, type FromSchema } from '../schema.ts'
import { PAYMENT_METHODS, REVERSAL_REASONS } from '../transaction.ts'
import { REVERSAL_STATUSES } from '../http/search-order.ts'
import { eventSchema } from './event-schema.ts'

export const REFUND_STATUS_CHANGED = 'refund.status-changed'
export const REVERSAL_STATUS_CHANGED = 'reversal.status-changed'

const paise = { type: 'integer', minimum: 0 } as const
const time = { type: 'string', format: 'date-time' } as const

/** One status change of a refund; its id is `<refund id>.<sequence>`. */
export const refundStatusChangedSchema = eventSchema(REFUND_STATUS_CHANGED, {
  type: 'object',
  additionalProperties: false,
  required: [
    ...refundViewSchema.required,
    'merchant_id',
    'reference',
    'method',
    'amount_paise',
    'captured_paise',
    'refunded_paise',
  ] as const,
  properties: {
    ...refundViewSchema.properties,
    merchant_id: { type: 'string' },
    /** The network's id of the capture that is refunded. */
    reference: { type: 'string' },
    method: { enum: [...PAYMENT_METHODS, null] },
    amount_paise: paise,
    captured_paise: paise,
    /** The sum of the transaction's succeeded refunds after this change. */
    refunded_paise: paise,
  },
})
export type RefundStatusChanged = FromSchema<typeof refundStatusChangedSchema>
export const refundStatusChanged = compile(refundStatusChangedSchema)
export const refundStatusChangedReader = compileReader(refundStatusChangedSchema)

/** One status change of a reversal; its id is `<transaction id>.rev-<reference>.<sequence>`. Only the ledger consumes it. */
export const reversalStatusChangedSchema = eventSchema(REVERSAL_STATUS_CHANGED, {
  type: 'object',
  additionalProperties: false,
  required: [
    'transaction_id',
    'order_id',
    'merchant_id',
    'reference',
    'amount_paise',
    'currency',
    'reason',
    'status',
    'sequence',
    'requested_at',
    'due_by',
    'completed_at',
  ],
  properties: {
    transaction_id: { type: 'string', pattern: TRANSACTION_ID_PATTERN },
    order_id: { type: 'string' },
    merchant_id: { type: 'string' },
    reference: { type: 'string' },
    amount_paise: paise,
    currency: { const: 'INR' },
    reason: { enum: REVERSAL_REASONS },
    status: { enum: REVERSAL_STATUSES },
    /** 1 when it was requested, 2 when it has ended. */
    sequence: { type: 'integer', minimum: 1 },
    requested_at: time,
    /** The end of the fifth calendar day in IST after the request (RBI's turn-around time). */
    due_by: time,
    completed_at: { type: ['string', 'null'], format: 'date-time' },
  },
})
export type ReversalStatusChanged = FromSchema<typeof reversalStatusChangedSchema>
export const reversalStatusChanged = compile(reversalStatusChangedSchema)
export const reversalStatusChangedReader = compileReader(reversalStatusChangedSchema)
