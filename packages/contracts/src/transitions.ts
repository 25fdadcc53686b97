import { TRANSACTION_ID_PATTERN } from './ids.ts'
import { compile } from './schema.ts'

/** One committed status change, as `payment-status` exports it for the audit of webhooks. */
export interface Transition {
  readonly transaction_id: string
  /** From 1; with the transaction's id it is the event's id. */
  readonly sequence: number
  readonly merchant_id: string
  /** When it happened, ISO 8601. Of transactions older than this export: when they were last written. */
  readonly at: string
  /** False while its event still waits in the outbox: it is on the way. */
  readonly published: boolean
}

/** In the order of transaction ids, and of sequences within one. */
export interface TransitionsPage {
  readonly transitions: readonly Transition[]
  /** Send it back as `cursor`; `null` on the last page. It is a transaction's id: the page holds all up to this one. */
  readonly next_cursor: string | null
}

/** Of transactions created from `since` on and before `until`; `limit` counts transactions, of at most three changes each. */
export interface TransitionsQuery {
  readonly since?: string
  readonly until?: string
  readonly cursor?: string
  readonly limit?: string
}

export const MAX_TRANSITIONS_LIMIT = 1000

const instant = { type: 'string', format: 'date-time' } as const
const transactionId = { type: 'string', pattern: TRANSACTION_ID_PATTERN } as const

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
export const transitionsQuery = compile<TransitionsQuery>(transitionsQuerySchema)

export const transitionsPageSchema = {
  type: 'object',
  required: ['transitions', 'next_cursor'],
  properties: {
    transitions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['transaction_id', 'sequence', 'merchant_id', 'at', 'published'],
        properties: {
          transaction_id: { type: 'string', minLength: 1 },
          sequence: { type: 'integer', minimum: 1 },
          merchant_id: { type: 'string', minLength: 1 },
          at: instant,
          published: { type: 'boolean' },
        },
      },
    },
    next_cursor: { type: ['string', 'null'], pattern: TRANSACTION_ID_PATTERN },
  },
} as const
export const transitionsPage = compile<TransitionsPage>(transitionsPageSchema)
