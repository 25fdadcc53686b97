import { TRANSACTION_ID_PATTERN } from '../ids.ts'
import { compile, compileReader, type FromSchema } from '../schema.ts'
import { FAILURE_REASONS, PAYMENT_METHODS, TRANSACTION_STATUSES } from '../transaction.ts'
import { eventSchema } from './event-schema.ts'
import { withPayment } from './payment-copy.ts'

export const TRANSACTION_STATUS_CHANGED = 'transaction.status-changed'

/** The change itself: everything that its webhook says. */
const statusChange = {
  type: 'object',
  additionalProperties: false,
  required: [
    'transaction_id',
    'order_id',
    'merchant_id',
    'order_created_at',
    'sequence',
    'status',
    'amount_paise',
    'currency',
    'method',
    'rrn',
    'payer',
    'failure_reason',
    'udf1',
    'udf2',
    'udf3',
  ],
  properties: {
    transaction_id: { type: 'string', pattern: TRANSACTION_ID_PATTERN },
    order_id: { type: 'string' },
    merchant_id: { type: 'string' },
    /** The webhook goes to the URL that was registered at this instant. */
    order_created_at: { type: 'string', format: 'date-time' },
    sequence: { type: 'integer', minimum: 1 },
    status: { enum: TRANSACTION_STATUSES },
    amount_paise: { type: 'integer', minimum: 1 },
    currency: { const: 'INR' },
    method: { enum: [...PAYMENT_METHODS, null] },
    rrn: { type: ['string', 'null'] },
    payer: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['name', 'vpa'],
      properties: { name: { type: 'string' }, vpa: { type: 'string' } },
    },
    failure_reason: { enum: [...FAILURE_REASONS, null] },
    udf1: { type: 'string' },
    udf2: { type: 'string' },
    udf3: { type: 'string' },
  },
} as const
const statusChangeSchema = eventSchema(TRANSACTION_STATUS_CHANGED, statusChange)

/** One status change; its id is `<transaction id>.<sequence>`. */
export const transactionStatusChangedSchema = eventSchema(TRANSACTION_STATUS_CHANGED, withPayment(statusChange))

/** The event without the copy of the payment. */
export type TransactionStatusChanged = FromSchema<typeof statusChangeSchema>
/** What `payment-status` may publish: unknown fields are refused. */
export const transactionStatusChanged = compile(transactionStatusChangedSchema)
/** What a webhook is made of: unknown fields are ignored, and so is the copy of the payment. */
export const transactionStatusChangedReader = compileReader(statusChangeSchema)
