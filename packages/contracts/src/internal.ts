import { orderCreatedSchema } from './events.ts'
import { attemptViewSchema, customerViewSchema } from './http/search-order.ts'
import { AMOUNT_PATTERN } from './money.ts'
import {
  enumOrNull,
  exactFields,
  integer,
  listOf,
  requiredFields,
  text,
  textOrNull,
  time,
  transactionId,
} from './schema-parts.ts'
import { compile, compileReader, type FromSchema } from './schema.ts'
import type { MerchantService, Scope } from './services.ts'
import { FAILURE_REASONS, ORDER_METHODS, PAYMENT_METHODS, TRANSACTION_STATUSES } from './transaction.ts'

/**
 * Calls between services over HTTP. Every call carries `authorization: Bearer <SERVICE_TOKEN of the caller>`, and
 * `INTERNAL_CALLERS` (services.ts) says which services each route admits. The gateway routes none of these paths.
 *
 *   auth-token       POST /internal/v1/tokens/exchange?audience=<services> {token}   → ExchangedTokens
 *                    GET  /internal/v1/revocations?since=<as_of>                     → Revocations
 *                    GET  /internal/v1/jwks.json                                     → JWK set (no bearer needed)
 *   order-api        GET  /internal/v1/orders/by-transaction/:tr                     → InternalOrder, or 404
 *                    GET  /internal/v1/orders/by-order-id/:merchant_id/:order_id     → InternalOrder, or 404
 *                    GET  /internal/v1/orders/transaction-ids?since=&until=&limit=  → TransactionIds
 *                    POST /internal/v1/orders/customers           {transaction_ids}  → Customers
 *   payment-status   GET  /internal/v1/transactions/:tr                              → TransactionView, or 404
 *                    GET  /internal/v1/transactions/by-order-id/:merchant_id/:order_id → TransactionView, or 404
 *                    POST /internal/v1/transactions/:tr/attempts  {attempt_id, method} → TransactionView
 *                    POST /internal/v1/transactions/:tr/attempts/:attempt_id/abandon → TransactionView
 *                    POST /internal/v1/transactions/:tr/cancel                       → TransactionView
 *                    GET  /internal/v1/transitions?since=&until=&cursor=&limit=      → TransitionsPage (payments-export.ts)
 *                    GET  /internal/v1/payments?since=&until=&cursor=&limit=         → PaymentsPage (payments-export.ts)
 *                    GET  /internal/v1/timelines/:merchant_id/:order_id              → TimelinePart (timeline.ts), or 404
 *   webhook-dispatcher
 *                    GET  /internal/v1/timelines/:merchant_id/:order_id              → WebhookTimeline
 */

/** The answer to a token exchange: a token for each service that the gateway named. No service accepts another service's token. */
export const exchangedTokensSchema = requiredFields({
  /** By service; each is an EdDSA JWS with the claims of `InternalClaims` and the service as its audience. */
  internal_tokens: { type: 'object', additionalProperties: text },
  /** Never later than the end of the merchant's own token plus the clock tolerance. */
  expires_at: time,
  merchant_id: text,
  credential_id: text,
})
export type ExchangedTokens = Omit<FromSchema<typeof exchangedTokensSchema>, 'internal_tokens'> & {
  readonly internal_tokens: Readonly<Partial<Record<MerchantService, string>>>
}

/** The merchant that a request comes from, as every service reads it from the internal token. */
export interface InternalClaims {
  readonly sub: string
  readonly env: 'sandbox' | 'production'
  readonly cid: string
  readonly name: string
  readonly vpa: string
  readonly mcc: string
  /** The credential's scopes. */
  readonly scp: readonly Scope[]
  /** When the credential expires, in seconds since 1970; absent when it does not. A session that outlives the token ends then. */
  readonly cxp?: number
}

/** `as_of`: send it back as `since`. */
export const revocationsSchema = requiredFields({ as_of: text, credential_ids: listOf(text) })
export type Revocations = FromSchema<typeof revocationsSchema>

/** An order as `payment-status` asks for it before its `order.created` has arrived: the same fields as that event. */
export const { $id: _, ...internalOrderSchema } = orderCreatedSchema
export type InternalOrder = FromSchema<typeof internalOrderSchema>
export const internalOrderReader = compileReader(internalOrderSchema)

/** Orders that were created from `since` on and before `until`, in any order; at most `limit`. */
export const transactionIdsQuery = compile(
  exactFields({ since: time, until: time, limit: { type: 'string', pattern: '^(?:[1-9]\\d{0,3}|10000)$' } }),
)

export const transactionIdsSchema = requiredFields({ transaction_ids: listOf(transactionId) })
export type TransactionIds = FromSchema<typeof transactionIdsSchema>
export const transactionIds = compile(transactionIdsSchema)

/** Asks for the customers of orders, by the ids of their transactions. */
export const ordersByTransactionSchema = exactFields({ transaction_ids: { type: 'array', maxItems: 200, items: transactionId } })
export const ordersByTransaction = compile(ordersByTransactionSchema)

/** The customers by transaction id; unknown ids are left out. */
export const customersResponseSchema = requiredFields({
  customers: { type: 'object', additionalProperties: customerViewSchema },
})
export type Customers = FromSchema<typeof customersResponseSchema>
export const customersResponse = compile(customersResponseSchema)

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
