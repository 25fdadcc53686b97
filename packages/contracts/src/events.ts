import { refundViewSchema } from './http/refunds.ts'
import { REVERSAL_STATUSES } from './http/search-order.ts'
import { ORDER_TEXT_PROPERTIES } from './order-texts.ts'
import { exportedPaymentSchema } from './payments-export.ts'
import { enumOrNull, exactFields, requiredFields, text, textOrNull, time, transactionId } from './schema-parts.ts'
import { compileReader, type FromSchema } from './schema.ts'
import { FAILURE_REASONS, ORDER_METHODS, PAYMENT_METHODS, TRANSACTION_STATUSES } from './transaction.ts'

/**
 * Events between services. Each schema says what the publisher may send: it refuses unknown fields. A reader ignores them, so that
 * version 1 can grow by optional fields.
 */

export const ORDER_CREATED = 'order.created'
export const TRANSACTION_STATUS_CHANGED = 'transaction.status-changed'
export const REFUND_STATUS_CHANGED = 'refund.status-changed'
export const REVERSAL_STATUS_CHANGED = 'reversal.status-changed'

/** Version 1 of an event: what every event has, with `data` of its own. */
function eventSchema<const Type extends string, const Data extends object>(type: Type, data: Data) {
  const fields = {
    id: text,
    type: { const: type },
    version: { const: 1 },
    occurred_at: time,
    correlation_id: text,
    data,
  } as const
  return { $id: `event/${type}/1`, ...exactFields(fields) } as const
}

/** An amount that is not zero, in paise. */
const paise = { type: 'integer', minimum: 1 } as const
const paiseOrZero = { type: 'integer', minimum: 0 } as const
/** The payment as the write of the event left it: a service that keeps a copy reads nothing again. */
const withPayment = { payment: exportedPaymentSchema } as const

/**
 * What `payment-status` needs to open a transaction. It has no customer data: e-mail and phone stay in `order-api` (ADR 1). Its texts
 * are not required: replicas of one release may publish a text that those of another do not have.
 */
export const orderCreatedSchema = eventSchema(
  ORDER_CREATED,
  exactFields(
    {
      transaction_id: transactionId,
      order_id: text,
      merchant: exactFields({ id: text, name: text, vpa: text, mcc: text }),
      amount_paise: paise,
      currency: { const: 'INR' },
      methods: { type: 'array', minItems: 1, items: { enum: ORDER_METHODS } },
      max_attempts: { type: 'integer', minimum: 1, maximum: 5 },
      /** The UPI link; empty when the order cannot be paid by UPI. */
      intent: text,
      created_at: time,
      expires_at: time,
    },
    ORDER_TEXT_PROPERTIES,
  ),
)
export type OrderCreated = FromSchema<typeof orderCreatedSchema>
export const orderCreatedReader = compileReader(orderCreatedSchema)

const statusFields = {
  transaction_id: transactionId,
  order_id: text,
  merchant_id: text,
  /** The webhook goes to the URL that was registered at this instant. */
  order_created_at: time,
  sequence: { type: 'integer', minimum: 1 },
  status: { enum: TRANSACTION_STATUSES },
  amount_paise: paise,
  currency: { const: 'INR' },
  method: enumOrNull(PAYMENT_METHODS),
  rrn: textOrNull,
  payer: { ...exactFields({ name: text, vpa: text }), type: ['object', 'null'] },
  failure_reason: enumOrNull(FAILURE_REASONS),
  udf1: text,
  udf2: text,
  udf3: text,
} as const
/** A status change of a payment: everything that its webhook says. */
export const statusChange = exactFields(statusFields)
const statusChangeSchema = eventSchema(TRANSACTION_STATUS_CHANGED, statusChange)

/** One status change; its id is `<transaction id>.<sequence>`. */
export const transactionStatusChangedSchema = eventSchema(
  TRANSACTION_STATUS_CHANGED,
  exactFields({ ...statusFields, ...withPayment }),
)
/** The event without the copy of the payment. */
export type TransactionStatusChanged = FromSchema<typeof statusChangeSchema>
/** What a webhook is made of: it ignores the copy of the payment. */
export const transactionStatusChangedReader = compileReader(statusChangeSchema)

/** A status change of a refund: everything that its webhook says. */
const refundChange = {
  ...refundViewSchema.properties,
  merchant_id: text,
  /** The network's id of the capture that is refunded. */
  reference: text,
  method: enumOrNull(PAYMENT_METHODS),
  amount_paise: paiseOrZero,
  captured_paise: paiseOrZero,
  /** The sum of the transaction's succeeded refunds after this change. */
  refunded_paise: paiseOrZero,
} as const
const refundChangeSchema = eventSchema(REFUND_STATUS_CHANGED, exactFields(refundChange))

/** One status change of a refund; its id is `<refund id>.<sequence>`. */
export const refundStatusChangedSchema = eventSchema(REFUND_STATUS_CHANGED, exactFields({ ...refundChange, ...withPayment }))
/** The event without the copy of the payment. */
export type RefundStatusChanged = FromSchema<typeof refundChangeSchema>
export const refundStatusChangedReader = compileReader(refundChangeSchema)

/**
 * A reversal was requested (its id is `<transaction id>.rev-<reference>.1`) or has ended (`.2`). Only the ledger consumes it, and
 * takes the copy of the payment. `reference` is the network's id of the capture that goes back.
 */
export const reversalStatusChangedSchema = eventSchema(
  REVERSAL_STATUS_CHANGED,
  exactFields({ transaction_id: transactionId, reference: text, status: { enum: REVERSAL_STATUSES }, ...withPayment }),
)
type ReversalWithPayment = FromSchema<typeof reversalStatusChangedSchema>
/** The event without the copy of the payment. */
export type ReversalStatusChanged = Omit<ReversalWithPayment, 'data'> & {
  readonly data: Omit<ReversalWithPayment['data'], 'payment'>
}

/** What a consumer reads that keeps copies of payments. Of two copies, the one with the higher `version` is newer. */
export const paymentEventReader = compileReader(
  requiredFields({ occurred_at: time, correlation_id: text, data: requiredFields(withPayment) }),
)
