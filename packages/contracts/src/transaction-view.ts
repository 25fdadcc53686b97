import { attemptViewSchema } from './http/search-order.ts'
import { AMOUNT_PATTERN } from './money.ts'
import { enumOrNull, integer, listOf, requiredFields, text, textOrNull, time, transactionId } from './schema-parts.ts'
import { compileReader, type FromSchema } from './schema.ts'
import { FAILURE_REASONS, ORDER_METHODS, PAYMENT_METHODS, TRANSACTION_STATUSES } from './transaction.ts'

/**
 * What `payment-status` answers about a transaction to the hosted page and to the simulator; it holds no data of the shopper.
 */
export const transactionViewSchema = requiredFields({
  id: transactionId,
  order_id: text,
  merchant: requiredFields({ id: text, name: text }),
  status: { enum: TRANSACTION_STATUSES },
  amount: { type: 'string', pattern: AMOUNT_PATTERN },
  currency: { const: 'INR' },
  description: text,
  methods: listOf({ enum: ORDER_METHODS }),
  method: enumOrNull(PAYMENT_METHODS),
  /** The number under which the bank knows the payment; `null` until known. */
  rrn: textOrNull,
  failure_reason: enumOrNull(FAILURE_REASONS),
  attempts: listOf(attemptViewSchema),
  attempts_left: integer,
  /** An attempt can be started now. */
  payable: { type: 'boolean' },
  /** Why no further attempt can start although the status is not final yet. */
  closing: enumOrNull(['cancelled', 'expired']),
  return_url: textOrNull,
  sequence: integer,
  version: integer,
  created_at: time,
  expires_at: time,
  checkout: { ...requiredFields({ url: text, intent: text }), type: ['object', 'null'] },
})
export type TransactionView = FromSchema<typeof transactionViewSchema>
export const transactionViewReader = compileReader(transactionViewSchema)
