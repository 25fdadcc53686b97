import { refundViewSchema } from './http/refunds.ts'
import { REVERSAL_STATUSES } from './http/search-order.ts'
import { TRANSACTION_ID_PATTERN } from './ids.ts'
import { enumOrNull, exactFields, listOf, requiredFields, textOrNull, time, timeOrNull, transactionId } from './schema-parts.ts'
import { compile, compileReader, type FromSchema } from './schema.ts'
import { FAILURE_CODES, FAILURE_REASONS, PAYMENT_METHODS, REFUND_ID_PATTERN, TRANSACTION_STATUSES } from './transaction.ts'

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

/** The last id of a page when more may follow: send it as `cursor`. The page holds everything up to it. `null` on the last page. */
const nextCursor = { type: ['string', 'null'], pattern: TRANSACTION_ID_PATTERN } as const

/**
 * Selects transactions created at `since` or later and before `until`, in the order of their ids. `cursor` is the last id of the
 * previous page; `limit` counts transactions and matches the pattern.
 */
const rangeQuery = (limit: string) =>
  exactFields({}, { since: time, until: time, cursor: transactionId, limit: { type: 'string', pattern: limit } })

export const paymentsQuery = compile(rangeQuery('^(?:[1-9]\\d?|[1-4]\\d\\d|500)$'))
export type PaymentsQuery = FromSchema<ReturnType<typeof rangeQuery>>

export const paymentsPageSchema = requiredFields({ payments: listOf(exportedPaymentSchema), next_cursor: nextCursor })
export type PaymentsPage = FromSchema<typeof paymentsPageSchema>
export const exportedPayment = compileReader(exportedPaymentSchema)
/** Checks the page but not its payments: an unreadable payment must not make the others unreadable. */
export const paymentsPage = compileReader(requiredFields({ payments: listOf({ type: 'object' }), next_cursor: nextCursor }))

export const MAX_TRANSITIONS_LIMIT = 1000

/** Each of the transactions has at most three changes. */
export const transitionsQuerySchema = rangeQuery('^(?:[1-9]\\d{0,2}|1000)$')
export type TransitionsQuery = PaymentsQuery
export const transitionsQuery = compile(transitionsQuerySchema)

const transition = {
  /** From 1; the event's id is the id of the transaction or the refund with this number. */
  sequence: { type: 'integer', minimum: 1 },
  merchant_id: text,
  /** When it happened. */
  at: time,
  /** False while its event still waits in the outbox. */
  published: { type: 'boolean' },
} as const
/** The status that it led to. Only of the latest change of each transaction or refund. */
const latest = { status: { type: 'string' } } as const

/** One committed status change, as `payment-status` exports it for the audit of webhooks. */
const transitionSchema = requiredFields({ transaction_id: text, ...transition }, latest)
export type Transition = FromSchema<typeof transitionSchema>

/** One committed status change of a refund. `created_at`: its webhooks go to the endpoint of that time. */
const refundTransitionSchema = requiredFields(
  { refund_id: { type: 'string', pattern: REFUND_ID_PATTERN }, created_at: time, ...transition },
  latest,
)
export type RefundTransition = FromSchema<typeof refundTransitionSchema>

/** Sorted by transaction id, then by sequence; with the changes of the refunds of the same transactions. */
export const transitionsPageSchema = requiredFields({
  transitions: listOf(transitionSchema),
  refunds: listOf(refundTransitionSchema),
  next_cursor: nextCursor,
})
export type TransitionsPage = FromSchema<typeof transitionsPageSchema>
export const transitionsPage = compile(transitionsPageSchema)
