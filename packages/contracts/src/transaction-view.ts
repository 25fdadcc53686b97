import { attemptViewSchema } from './http/search-order.ts'
import { TRANSACTION_ID_PATTERN } from './ids.ts'
import { AMOUNT_PATTERN } from './money.ts'
import { compileReader, type FromSchema } from './schema.ts'
import { FAILURE_REASONS, ORDER_METHODS, PAYMENT_METHODS, TRANSACTION_STATUSES } from './transaction.ts'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const instant = { type: 'string', format: 'date-time' } as const

/**
 * What `payment-status` answers about a transaction to the hosted page and to the simulator; it holds no data of the shopper.
 */
export const transactionViewSchema = {
  type: 'object',
  required: [
    'id',
    'order_id',
    'merchant',
    'status',
    'amount',
    'currency',
    'description',
    'methods',
    'method',
    'failure_reason',
    'attempts',
    'attempts_left',
    'payable',
    'closing',
    'return_url',
    'sequence',
    'version',
    'created_at',
    'expires_at',
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
    /** The number under which the bank knows the payment; `null` until known. */
    rrn: textOrNull,
    failure_reason: { enum: [...FAILURE_REASONS, null] },
    attempts: { type: 'array', items: attemptViewSchema },
    attempts_left: { type: 'integer' },
    /** An attempt can be started now. */
    payable: { type: 'boolean' },
    /** Why no further attempt can start although the status is not final yet. */
    closing: { enum: ['cancelled', 'expired', null] },
    return_url: textOrNull,
    sequence: { type: 'integer' },
    version: { type: 'integer' },
    created_at: instant,
    expires_at: instant,
    checkout: { type: ['object', 'null'], required: ['url', 'intent'], properties: { url: text, intent: text } },
  },
} as const
export type TransactionView = FromSchema<typeof transactionViewSchema>
export const transactionViewReader = compileReader(transactionViewSchema)
