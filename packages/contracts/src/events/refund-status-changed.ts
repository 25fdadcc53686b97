import { refundViewSchema } from '../http/refunds.ts'
import { enumOrNull, exactFields, text, transactionId } from '../schema-parts.ts'
import { compile, compileReader, type FromSchema } from '../schema.ts'
import { PAYMENT_METHODS } from '../transaction.ts'
import { REVERSAL_STATUSES } from '../http/search-order.ts'
import { eventSchema } from './event-schema.ts'
import { withPayment, type WithoutPayment } from './payment-copy.ts'

export const REFUND_STATUS_CHANGED = 'refund.status-changed'
export const REVERSAL_STATUS_CHANGED = 'reversal.status-changed'

const paise = { type: 'integer', minimum: 0 } as const

/** The change itself: everything that its webhook says. */
const refundChange = exactFields({
  ...refundViewSchema.properties,
  merchant_id: text,
  /** The network's id of the capture that is refunded. */
  reference: text,
  method: enumOrNull(PAYMENT_METHODS),
  amount_paise: paise,
  captured_paise: paise,
  /** The sum of the transaction's succeeded refunds after this change. */
  refunded_paise: paise,
})
const refundChangeSchema = eventSchema(REFUND_STATUS_CHANGED, refundChange)

/** One status change of a refund; its id is `<refund id>.<sequence>`. */
export const refundStatusChangedSchema = eventSchema(REFUND_STATUS_CHANGED, withPayment(refundChange))

/** The event without the copy of the payment. */
export type RefundStatusChanged = FromSchema<typeof refundChangeSchema>
export const refundStatusChanged = compile(refundStatusChangedSchema)
export const refundStatusChangedReader = compileReader(refundChangeSchema)

const reversalChange = exactFields({
  transaction_id: transactionId,
  /** The network's id of the capture that goes back. */
  reference: text,
  status: { enum: REVERSAL_STATUSES },
})

/**
 * A reversal was requested (its id is `<transaction id>.rev-<reference>.1`) or has ended (`.2`). Only the ledger consumes it, and
 * takes the copy of the payment.
 */
export const reversalStatusChangedSchema = eventSchema(REVERSAL_STATUS_CHANGED, withPayment(reversalChange))

/** The event without the copy of the payment. */
export type ReversalStatusChanged = WithoutPayment<FromSchema<typeof reversalStatusChangedSchema>>
export const reversalStatusChanged = compile(reversalStatusChangedSchema)
