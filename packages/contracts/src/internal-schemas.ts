import type { FromSchema } from 'json-schema-to-ts'
import { ATTEMPT_STATUSES } from './http/search-order.ts'
import { TRANSACTION_ID_PATTERN } from './ids.ts'
import type { ExchangedToken, Revocations, TransactionView } from './internal.ts'
import { AMOUNT_PATTERN } from './money.ts'
import { FAILURE_REASONS, ORDER_METHODS, PAYMENT_METHODS, TRANSACTION_STATUSES } from './transaction.ts'

/**
 * Answers of internal routes whose readers check only what they use: what the answering side promises, for the check of
 * compatibility. The types of `internal.ts` and these hold one another.
 */
const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const instant = { type: 'string', format: 'date-time' } as const

export const exchangedTokenSchema = {
  type: 'object',
  required: ['internal_token', 'expires_at', 'merchant_id', 'credential_id'],
  properties: { internal_token: text, expires_at: instant, merchant_id: text, credential_id: text },
} as const

export const revocationsSchema = {
  type: 'object',
  required: ['as_of', 'credential_ids'],
  properties: { as_of: text, credential_ids: { type: 'array', items: text } },
} as const

export const attemptViewSchema = {
  type: 'object',
  required: ['id', 'method', 'status', 'failure_reason', 'reference', 'started_at', 'ended_at'],
  properties: {
    id: text,
    method: { enum: PAYMENT_METHODS },
    status: { enum: ATTEMPT_STATUSES },
    failure_reason: { enum: [...FAILURE_REASONS, null] },
    reference: textOrNull,
    started_at: instant,
    ended_at: textOrNull,
  },
} as const

export const transactionViewSchema = {
  type: 'object',
  required: [
    ...['id', 'order_id', 'merchant', 'status', 'amount', 'currency', 'description', 'methods', 'method', 'failure_reason'],
    ...['attempts', 'attempts_left', 'payable', 'closing', 'return_url', 'sequence', 'version', 'created_at', 'expires_at'],
    'checkout',
  ],
  properties: {
    id: { type: 'string', pattern: TRANSACTION_ID_PATTERN },
    order_id: text,
    merchant: { type: 'object', required: ['id', 'name'], properties: { id: text, name: text } },
    status: { enum: TRANSACTION_STATUSES },
    amount: { type: 'string', pattern: AMOUNT_PATTERN },
    currency: { const: 'INR' },
    description: text,
    methods: { type: 'array', items: { enum: ORDER_METHODS } },
    method: { enum: [...PAYMENT_METHODS, null] },
    failure_reason: { enum: [...FAILURE_REASONS, null] },
    attempts: { type: 'array', items: attemptViewSchema },
    attempts_left: { type: 'integer' },
    payable: { type: 'boolean' },
    closing: { enum: ['cancelled', 'expired', null] },
    return_url: textOrNull,
    sequence: { type: 'integer' },
    version: { type: 'integer' },
    created_at: instant,
    expires_at: instant,
    checkout: { type: ['object', 'null'], required: ['url', 'intent'], properties: { url: text, intent: text } },
  },
} as const

/** Every field of a type is in its schema, and the other way round: else this does not compile. */
type SameKeys<One, Other> = [keyof One, keyof Other] extends [keyof Other, keyof One] ? true : never
type Known<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] }
export const SCHEMAS_HOLD: readonly [
  SameKeys<ExchangedToken, Known<FromSchema<typeof exchangedTokenSchema>>>,
  SameKeys<Revocations, Known<FromSchema<typeof revocationsSchema>>>,
  SameKeys<TransactionView, Known<typeof transactionViewSchema.properties>>,
] = [true, true, true]
