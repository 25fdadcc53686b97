import { customerViewSchema } from './http/search-order.ts'
import { orderCreatedSchema } from './events/order-created.ts'
import { transactionId } from './schema-parts.ts'
import { compile, compileReader, type FromSchema } from './schema.ts'
import type { Scope } from './scopes.ts'
import type { MerchantService } from './services.ts'

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
 *                    GET  /internal/v1/transitions?since=&until=&cursor=&limit=      → TransitionsPage (transitions.ts)
 *                    GET  /internal/v1/payments?since=&until=&cursor=&limit=         → PaymentsPage (payments-export.ts)
 *                    GET  /internal/v1/timelines/:merchant_id/:order_id              → TimelinePart (timeline.ts), or 404
 *   webhook-dispatcher
 *                    GET  /internal/v1/timelines/:transaction_id                     → TimelinePart
 */

const text = { type: 'string' } as const

/** The answer to a token exchange: a token for each service that the gateway named. No service accepts another service's token. */
export const exchangedTokensSchema = {
  type: 'object',
  required: ['internal_tokens', 'expires_at', 'merchant_id', 'credential_id'],
  properties: {
    /** By service; each is an EdDSA JWS with the claims of `InternalClaims` and the service as its audience. */
    internal_tokens: { type: 'object', additionalProperties: text },
    /** Never later than the end of the merchant's own token plus the clock tolerance. */
    expires_at: { type: 'string', format: 'date-time' },
    merchant_id: text,
    credential_id: text,
  },
} as const
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

export const revocationsSchema = {
  type: 'object',
  required: ['as_of', 'credential_ids'],
  properties: {
    /** Send it back as `since`. */
    as_of: text,
    credential_ids: { type: 'array', items: text },
  },
} as const
export type Revocations = FromSchema<typeof revocationsSchema>

const { $id: _, ...orderCreatedShape } = orderCreatedSchema

/** An order as `payment-status` asks for it before its `order.created` has arrived: the same fields as that event. */
export const internalOrderSchema = orderCreatedShape
export type InternalOrder = FromSchema<typeof internalOrderSchema>
export const internalOrderReader = compileReader(internalOrderSchema)

/** Orders that were created from `since` on and before `until`, in any order; at most `limit`. */
export const transactionIdsQuerySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['since', 'until', 'limit'],
  properties: {
    since: { type: 'string', format: 'date-time' },
    until: { type: 'string', format: 'date-time' },
    limit: { type: 'string', pattern: '^(?:[1-9]\\d{0,3}|10000)$' },
  },
} as const
export const transactionIdsQuery = compile(transactionIdsQuerySchema)

export const transactionIdsSchema = {
  type: 'object',
  required: ['transaction_ids'],
  properties: { transaction_ids: { type: 'array', items: transactionId } },
} as const
export type TransactionIds = FromSchema<typeof transactionIdsSchema>
export const transactionIds = compile(transactionIdsSchema)

/** Asks for the customers of orders, by the ids of their transactions. */
export const ordersByTransactionSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['transaction_ids'],
  properties: { transaction_ids: { type: 'array', maxItems: 200, items: transactionId } },
} as const
export const ordersByTransaction = compile(ordersByTransactionSchema)

export const customersResponseSchema = {
  type: 'object',
  required: ['customers'],
  properties: {
    /** By transaction id; unknown ids are left out. */
    customers: { type: 'object', additionalProperties: customerViewSchema },
  },
} as const
export type Customers = FromSchema<typeof customersResponseSchema>
export const customersResponse = compile(customersResponseSchema)
