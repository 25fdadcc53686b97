import { enumOrNull, exactFields, text, textOrNull, time, transactionId } from '../schema-parts.ts'
import { compile, compileReader, type FromSchema } from '../schema.ts'
import { FAILURE_REASONS, PAYMENT_METHODS, TRANSACTION_STATUSES } from '../transaction.ts'
import { eventSchema } from './event-schema.ts'
import { withPayment } from './payment-copy.ts'

export const TRANSACTION_STATUS_CHANGED = 'transaction.status-changed'

/** The change itself: everything that its webhook says. */
export const statusChange = exactFields({
  transaction_id: transactionId,
  order_id: text,
  merchant_id: text,
  /** The webhook goes to the URL that was registered at this instant. */
  order_created_at: time,
  sequence: { type: 'integer', minimum: 1 },
  status: { enum: TRANSACTION_STATUSES },
  amount_paise: { type: 'integer', minimum: 1 },
  currency: { const: 'INR' },
  method: enumOrNull(PAYMENT_METHODS),
  rrn: textOrNull,
  payer: { ...exactFields({ name: text, vpa: text }), type: ['object', 'null'] },
  failure_reason: enumOrNull(FAILURE_REASONS),
  udf1: text,
  udf2: text,
  udf3: text,
})
const statusChangeSchema = eventSchema(TRANSACTION_STATUS_CHANGED, statusChange)

/** One status change; its id is `<transaction id>.<sequence>`. */
export const transactionStatusChangedSchema = eventSchema(TRANSACTION_STATUS_CHANGED, withPayment(statusChange))

/** The event without the copy of the payment. */
export type TransactionStatusChanged = FromSchema<typeof statusChangeSchema>
/** What `payment-status` may publish: unknown fields are refused. */
export const transactionStatusChanged = compile(transactionStatusChangedSchema)
/** What a webhook is made of: unknown fields are ignored, and so is the copy of the payment. */
export const transactionStatusChangedReader = compileReader(statusChangeSchema)
