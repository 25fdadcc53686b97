import { AMOUNT_PATTERN } from '../money.ts'
import { ORDER_TEXT_REQUESTS, returnUrlSchema } from '../order-texts.ts'
import { MAX_PHONE_CHARACTERS } from '../phone.ts'
import { currency, plainText, requiredFields, rupees, text, time } from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { ORDER_METHODS } from '../transaction.ts'

export const ORDER_ID_SCHEMA = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{3,45}$',
  format: 'plain-text',
  description: '3 to 45 letters, digits, - or _; a card number is refused',
} as const

/** An amount in rupees. */
export const AMOUNT_SCHEMA = {
  type: 'string',
  pattern: AMOUNT_PATTERN,
  description: 'rupees as text with at most two decimals, such as "499.00"',
} as const

/** Typed as `object`: TypeScript's types say only that both are optional. */
const EMAIL_OR_PHONE: object = {
  anyOf: ['email', 'phone'].map((name) => ({ type: 'object', required: [name], properties: { [name]: {} } })),
}

/**
 * The body of `POST /api/v1/orders/create` (design, section 5). The sandbox also takes short expiries and a `return_url` on
 * `http://localhost`.
 */
export function createOrderSchema({ sandbox }: { sandbox: boolean }) {
  const shortestSeconds: number = sandbox ? 5 : 300
  return {
    type: 'object',
    additionalProperties: false,
    required: ['order_id', 'amount', 'customer'],
    properties: {
      order_id: ORDER_ID_SCHEMA,
      amount: AMOUNT_SCHEMA,
      currency: { enum: ['INR'], default: 'INR', description: 'INR' },
      customer: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        ...EMAIL_OR_PHONE,
        description: 'an object with name, and with email or phone or both',
        properties: {
          id: plainText(64, 1),
          name: plainText(100, 1),
          email: {
            type: 'string',
            maxLength: 254,
            format: 'email',
            description: 'an e-mail address of at most 254 characters',
          },
          phone: {
            type: 'string',
            maxLength: MAX_PHONE_CHARACTERS,
            format: 'phone',
            description:
              'an Indian mobile number such as 98765 43210, or a foreign number with its country such as +1 415 555 2671; kept as E.164, such as +919876543210; more spellings are accepted than the pattern of this document shows',
          },
        },
      },
      methods: {
        type: 'array',
        minItems: 1,
        uniqueItems: true,
        items: { type: 'string', enum: ORDER_METHODS },
        description: 'a list of at least one payment method, each of them once; all by default',
      },
      expires_in: {
        type: 'integer',
        minimum: shortestSeconds,
        maximum: 3600,
        default: 1200,
        description: `a whole number of seconds from ${shortestSeconds} to 3600`,
      },
      max_attempts: { type: 'integer', minimum: 1, maximum: 5, default: 1, description: 'a whole number from 1 to 5' },
      ...ORDER_TEXT_REQUESTS,
      return_url: sandbox
        ? returnUrlSchema('return-url-sandbox', ', or one that begins with http://localhost')
        : ORDER_TEXT_REQUESTS.return_url,
    },
  } as const
}

export type CreateOrderRequest = FromSchema<ReturnType<typeof createOrderSchema>>

export function createOrderRequest(options: { sandbox: boolean }) {
  return compile(createOrderSchema(options))
}

export const TRANSACTION_ID_VIEW_SCHEMA = {
  ...text,
  description: 'uppercase letters and digits, at most 35; also the UPI transaction reference',
} as const

/** Where the shopper pays. */
export const checkoutLinksSchema = requiredFields({
  url: { type: 'string', format: 'uri', description: 'the hosted checkout page' },
  intent: { ...text, description: 'the UPI link; empty when the order does not accept UPI' },
})
export type CheckoutLinks = FromSchema<typeof checkoutLinksSchema>

/** `201`, and `200` when the same fields are sent again. */
export const createOrderResponseSchema = requiredFields({
  data: requiredFields({
    order: requiredFields({ order_id: text }),
    transaction: requiredFields({
      id: TRANSACTION_ID_VIEW_SCHEMA,
      status: { const: 'Initiate' },
      amount: rupees,
      currency,
      created_at: time,
      expires_at: time,
    }),
  }),
  checkout: checkoutLinksSchema,
})
export type CreateOrderResponse = FromSchema<typeof createOrderResponseSchema>
