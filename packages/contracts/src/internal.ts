import { TRANSACTION_ID_PATTERN } from './ids.ts'
import { compile } from './schema.ts'
import type { CheckoutLinks } from './http/create-order.ts'
import type { AttemptView, CustomerView } from './http/search-order.ts'
import type { FailureReason, OrderMethod, PaymentMethod, TransactionStatus } from './transaction.ts'

/**
 * What services ask of each other over HTTP. Every call carries `authorization: Bearer <INTERNAL_API_TOKEN>`,
 * and the gateway routes none of these paths.
 *
 *   auth-token       POST /internal/v1/tokens/exchange            {token}            → ExchangedToken
 *                    GET  /internal/v1/revocations?since=<as_of>                     → Revocations
 *                    GET  /internal/v1/jwks.json                                     → JWK set (no bearer needed)
 *   order-api        GET  /internal/v1/orders/by-transaction/:tr                     → OrderCreated, or 404
 *                    GET  /internal/v1/orders/by-order-id/:merchant_id/:order_id     → OrderCreated, or 404
 *                    POST /internal/v1/orders/customers           {transaction_ids}  → Customers
 *   payment-status   GET  /internal/v1/transactions/:tr                              → TransactionView, or 404
 *                    GET  /internal/v1/transactions/by-order-id/:merchant_id/:order_id → TransactionView, or 404
 *                    POST /internal/v1/transactions/:tr/attempts  {attempt_id, method} → TransactionView
 *                    POST /internal/v1/transactions/:tr/attempts/:attempt_id/abandon → TransactionView
 *                    POST /internal/v1/transactions/:tr/cancel                       → TransactionView
 *                    GET  /internal/v1/transitions?since=&until=&cursor=&limit=      → TransitionsPage (transitions.ts)
 */
export interface ExchangedToken {
  /** EdDSA JWS with the claims of `InternalClaims`. */
  readonly internal_token: string
  /** ISO 8601; never later than the merchant's own token and the tolerance of clocks. */
  readonly expires_at: string
  readonly merchant_id: string
  readonly credential_id: string
}

/** Who calls, as every service reads it from the internal token. */
export interface InternalClaims {
  readonly sub: string
  readonly env: 'sandbox' | 'production'
  readonly cid: string
  readonly name: string
  readonly vpa: string
  readonly mcc: string
}

export interface Revocations {
  /** Send it back as `since`. */
  readonly as_of: string
  readonly credential_ids: readonly string[]
}

export const customersRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['transaction_ids'],
  properties: { transaction_ids: { type: 'array', maxItems: 200, items: { type: 'string', pattern: TRANSACTION_ID_PATTERN } } },
} as const
export const customersRequest = compile<{ readonly transaction_ids: readonly string[] }>(customersRequestSchema)

/** By transaction id; an id that is not there is unknown. */
export interface Customers {
  readonly customers: Readonly<Record<string, CustomerView>>
}

const textOrNull = { type: ['string', 'null'] } as const

export const customersResponseSchema = {
  type: 'object',
  required: ['customers'],
  properties: {
    customers: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['id', 'name', 'email', 'phone'],
        properties: { id: textOrNull, name: textOrNull, email: textOrNull, phone: textOrNull },
      },
    },
  },
} as const
export const customersResponse = compile<Customers>(customersResponseSchema)

/** A transaction as the hosted page and the simulator see it: nothing personal but the merchant's name. */
export interface TransactionView {
  readonly id: string
  readonly order_id: string
  readonly merchant: { readonly id: string; readonly name: string }
  readonly status: TransactionStatus
  readonly amount: string
  readonly currency: 'INR'
  readonly description: string
  readonly methods: readonly OrderMethod[]
  readonly method: PaymentMethod | null
  readonly failure_reason: FailureReason | null
  readonly attempts: readonly AttemptView[]
  readonly attempts_left: number
  /** An attempt can be started now. */
  readonly payable: boolean
  /** Why no attempt can start any more although the status is not final yet. */
  readonly closing: 'cancelled' | 'expired' | null
  readonly return_url: string | null
  readonly sequence: number
  readonly version: number
  readonly created_at: string
  readonly expires_at: string
  readonly checkout: CheckoutLinks | null
}
