import { AMOUNT_PATTERN } from '../money.ts'
import { compile, type FromSchema } from '../schema.ts'
import { ORDER_METHODS } from '../transaction.ts'

export const ORDER_ID_SCHEMA = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{3,45}$',
  description: '3–45 letters, digits, _ or -',
} as const

const text = (maxLength: number, minLength = 0) => ({ type: 'string', minLength, maxLength, format: 'plain-text' }) as const

/**
 * The body of `POST /api/v1/orders/create` (design, section 5). The sandbox also takes short expiries and a `return_url` on
 * `http://localhost`.
 */
export function createOrderSchema({ sandbox }: { sandbox: boolean }) {
  const returnUrlFormat: string = sandbox ? 'return-url-sandbox' : 'https-url'
  const shortestSeconds: number = sandbox ? 5 : 300
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
      // `type` lets ajv find duplicates in one pass; without it, it compares each pair, and a long list blocks the process.
      methods: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string', enum: ORDER_METHODS } },
      return_url: { type: 'string', maxLength: 250, format: returnUrlFormat },
      expires_in: { type: 'integer', minimum: shortestSeconds, maximum: 3600, default: 1200, description: 'seconds' },
      max_attempts: { type: 'integer', minimum: 1, maximum: 5, default: 1 },
      udf1: text(256),
      udf2: text(256),
      udf3: text(256),
    },
  } as const
}

export type CreateOrderRequest = FromSchema<ReturnType<typeof createOrderSchema>>

export function createOrderRequest(options: { sandbox: boolean }) {
  return compile(createOrderSchema(options))
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
