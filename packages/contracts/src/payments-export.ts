import { refundViewSchema } from './http/refunds.ts'
import { REVERSAL_STATUSES } from './http/search-order.ts'
import { TRANSACTION_ID_PATTERN } from './ids.ts'
import {
  closed,
  enumOrNull,
  exactFields,
  listOf,
  requiredFields,
  textOrNull,
  time,
  timeOrNull,
  transactionId,
} from './schema-parts.ts'
import { compile, compileReader, type FromSchema } from './schema.ts'
import { FAILURE_CODES, FAILURE_REASONS, PAYMENT_METHODS, TRANSACTION_STATUSES } from './transaction.ts'

/** Payments that one page holds. */
export const MAX_EXPORTED_PAYMENTS = 500

const text = { type: 'string', minLength: 1 } as const
const paise = { type: 'integer', minimum: 1 } as const

/** Money that the network took for one reference. */
const captureSchema = exactFields({
  reference: text,
  amount_paise: paise,
  /** False for money that must go back: late, twice or a wrong amount. */
  accepted: { type: 'boolean' },
  rrn: textOrNull,
  method: enumOrNull(PAYMENT_METHODS),
  at: time,
})

const reversalSchema = exactFields({
  reference: text,
  amount_paise: paise,
  reason: text,
  status: { enum: REVERSAL_STATUSES },
  /** The bank's number of the reversal. */
  rrn: textOrNull,
  requested_at: time,
  completed_at: timeOrNull,
})

/** A copy of one payment, as the events of its changes carry it and as `payment-status` exports it for a rebuild. */
export const exportedPaymentSchema = exactFields({
  transaction_id: transactionId,
  order_id: text,
  merchant_id: text,
  sequence: { type: 'integer', minimum: 1 },
  /** Counts every write of the transaction: of two exports of one transaction, the one with the higher version is newer. */
  version: { type: 'integer', minimum: 1 },
  status: { enum: TRANSACTION_STATUSES },
  amount_paise: paise,
  method: enumOrNull(PAYMENT_METHODS),
  rrn: textOrNull,
  failure_reason: enumOrNull(FAILURE_REASONS),
  failure_code: enumOrNull(FAILURE_CODES),
  payer_vpa: textOrNull,
  created_at: time,
  final_at: timeOrNull,
  captures: listOf(captureSchema),
  reversals: listOf(reversalSchema),
  refunds: listOf({ ...refundViewSchema, additionalProperties: false }),
  /** Every number under which a bank knows an attempt, a reversal or a refund. */
  rrns: listOf(text),
})
export type ExportedPayment = FromSchema<typeof exportedPaymentSchema>

/**
 * Selects transactions created at `since` or later and before `until`, in the order of their ids. `cursor` is the last id of the
 * previous page.
 */
export const paymentsQuerySchema = closed({
  properties: {
    since: time,
    until: time,
    cursor: transactionId,
    limit: { type: 'string', pattern: '^(?:[1-9]\\d?|[1-4]\\d\\d|500)$' },
  },
})
export type PaymentsQuery = FromSchema<typeof paymentsQuerySchema>
export const paymentsQuery = compile(paymentsQuerySchema)

export const paymentsPageSchema = requiredFields({
  payments: listOf(exportedPaymentSchema),
  /** The last id of this page when more may follow: send it as `cursor`. `null` on the last page. */
  next_cursor: { type: ['string', 'null'], pattern: TRANSACTION_ID_PATTERN },
})
export type PaymentsPage = FromSchema<typeof paymentsPageSchema>
export const exportedPayment = compileReader(exportedPaymentSchema)
/** Checks the page but not its payments: an unreadable payment must not make the others unreadable. */
export const paymentsPage = compileReader({
  ...paymentsPageSchema,
  properties: { ...paymentsPageSchema.properties, payments: { type: 'array', items: { type: 'object' } } },
} as const)
