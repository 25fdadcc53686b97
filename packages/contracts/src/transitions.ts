import { TRANSACTION_ID_PATTERN } from './ids.ts'
import { REFUND_ID_PATTERN } from './refund.ts'
import { transactionId } from './schema-parts.ts'
import { compile, type FromSchema } from './schema.ts'

export const MAX_TRANSITIONS_LIMIT = 1000

const instant = { type: 'string', format: 'date-time' } as const

/** For transactions created from `since` on and before `until`. `limit` counts transactions, each of at most three changes. */
export const transitionsQuerySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    since: instant,
    until: instant,
    cursor: transactionId,
    limit: { type: 'string', pattern: '^(?:[1-9]\\d{0,2}|1000)$' },
  },
} as const
export type TransitionsQuery = FromSchema<typeof transitionsQuerySchema>
export const transitionsQuery = compile(transitionsQuerySchema)

/** One committed status change, as `payment-status` exports it for the audit of webhooks. */
const transitionSchema = {
  type: 'object',
  required: ['transaction_id', 'sequence', 'merchant_id', 'at', 'published'],
  properties: {
    transaction_id: { type: 'string', minLength: 1 },
    /** From 1; the event's id is the transaction's id with this number. */
    sequence: { type: 'integer', minimum: 1 },
    merchant_id: { type: 'string', minLength: 1 },
    /** When it happened. */
    at: instant,
    /** False while its event still waits in the outbox. */
    published: { type: 'boolean' },
    /** The status that it led to. Only of the latest change of each transaction. */
    status: { type: 'string' },
  },
} as const
export type Transition = FromSchema<typeof transitionSchema>

/** One committed status change of a refund. */
const refundTransitionSchema = {
  type: 'object',
  required: ['refund_id', 'sequence', 'merchant_id', 'created_at', 'at', 'published'],
  properties: {
    refund_id: { type: 'string', pattern: REFUND_ID_PATTERN },
    sequence: { type: 'integer', minimum: 1 },
    merchant_id: { type: 'string', minLength: 1 },
    /** When the refund was requested: its webhooks go to the endpoint of that time. */
    created_at: instant,
    at: instant,
    published: { type: 'boolean' },
    /** Only of the latest change of each refund. */
    status: { type: 'string' },
  },
} as const
export type RefundTransition = FromSchema<typeof refundTransitionSchema>

/** Sorted by transaction id, then by sequence. */
export const transitionsPageSchema = {
  type: 'object',
  required: ['transitions', 'refunds', 'next_cursor'],
  properties: {
    transitions: { type: 'array', items: transitionSchema },
    /** Of the refunds of the same transactions. */
    refunds: { type: 'array', items: refundTransitionSchema },
    /** Send it back as `cursor`; `null` on the last page. It is a transaction id: the page holds everything up to it. */
    next_cursor: { type: ['string', 'null'], pattern: TRANSACTION_ID_PATTERN },
  },
} as const
export type TransitionsPage = FromSchema<typeof transitionsPageSchema>
export const transitionsPage = compile(transitionsPageSchema)
