import { AMOUNT_PATTERN } from '../money.ts'
import { compile, type Checker, type JsonSchema } from '../schema.ts'
import { ORDER_METHODS, type OrderMethod } from '../transaction.ts'

/** The body of `POST /api/v1/orders/create` (design, section 5). */
export interface CreateOrderRequest {
  readonly order_id: string
  /** Rupees, at most two decimals. */
  readonly amount: string
  readonly currency?: 'INR'
  readonly description?: string
  readonly customer: { readonly id?: string; readonly name: string; readonly email: string; readonly phone: string }
  readonly methods?: readonly OrderMethod[]
  readonly return_url?: string
  /** Seconds until the order expires. */
  readonly expires_in?: number
  readonly max_attempts?: number
  readonly udf1?: string
  readonly udf2?: string
  readonly udf3?: string
}

export const ORDER_ID_SCHEMA = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{3,45}$',
  description: '3–45 letters, digits, _ or -',
} as const

const text = (maxLength: number, minLength = 0): JsonSchema => ({ type: 'string', minLength, maxLength, format: 'plain-text' })

/** The sandbox also takes short expiries and `http://localhost` as a place to return to. */
export function createOrderSchema({ sandbox }: { sandbox: boolean }): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['order_id', 'amount', 'customer'],
    properties: {
      order_id: ORDER_ID_SCHEMA,
      amount: { type: 'string', pattern: AMOUNT_PATTERN, description: 'rupees with at most two decimals, such as "499.00"' },
      currency: { enum: ['INR'], default: 'INR' },
      description: { ...text(50), description: 'also the note of the UPI link, which defaults to the order_id' },
      customer: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'email', 'phone'],
        properties: {
          id: text(64, 1),
          name: text(100, 1),
          email: { type: 'string', maxLength: 254, format: 'email' },
          phone: { type: 'string', pattern: '^(\\+91)?[6-9]\\d{9}$' },
        },
      },
      // With `type`, ajv compares the items in one pass; without, each with each, and a long list would hold the process up.
      methods: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string', enum: ORDER_METHODS } },
      return_url: { type: 'string', maxLength: 250, format: sandbox ? 'return-url-sandbox' : 'https-url' },
      expires_in: { type: 'integer', minimum: sandbox ? 5 : 300, maximum: 3600, default: 1200, description: 'seconds' },
      max_attempts: { type: 'integer', minimum: 1, maximum: 5, default: 1 },
      udf1: text(256),
      udf2: text(256),
      udf3: text(256),
    },
  }
}

export function createOrderRequest(options: { sandbox: boolean }): Checker<CreateOrderRequest> {
  return compile<CreateOrderRequest>(createOrderSchema(options))
}

/** `201`, and `200` when the same fields are sent again. */
export interface CreateOrderResponse {
  readonly data: {
    readonly order: { readonly order_id: string }
    readonly transaction: {
      readonly id: string
      readonly status: 'Initiate'
      readonly amount: string
      readonly currency: 'INR'
      readonly created_at: string
      readonly expires_at: string
    }
  }
  readonly checkout: CheckoutLinks
}

export interface CheckoutLinks {
  readonly url: string
  /** The UPI link; empty when the order does not take UPI. */
  readonly intent: string
}
