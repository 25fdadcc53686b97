import { AMOUNT_PATTERN } from '../money.ts'
import { MAX_PHONE_CHARACTERS } from '../phone.ts'
import { compile, type FromSchema } from '../schema.ts'
import { ORDER_METHODS } from '../transaction.ts'

export const ORDER_ID_SCHEMA = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{3,45}$',
  format: 'plain-text',
  description: '3 to 45 letters, digits, - or _; a card number is refused',
} as const

/** Text that a person can read, with what is allowed in words: the description of each field of a request begins with that. */
export const plainText = (maxLength: number, minLength = 0) =>
  ({
    type: 'string',
    minLength,
    maxLength,
    format: 'plain-text',
    description: `text of ${minLength === 0 ? 'at most' : `${minLength} to`} ${maxLength} characters without control characters; a card number is refused`,
  }) as const

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

const RETURN_REMARK =
  'the shopper comes back with the parameters order_id and status; a name that the URL already has becomes payment_order_id or payment_status; a card number is refused'

/**
 * The body of `POST /api/v1/orders/create` (design, section 5). The sandbox also takes short expiries and a `return_url` on
 * `http://localhost`.
 */
export function createOrderSchema({ sandbox }: { sandbox: boolean }) {
  const returnUrlFormat: string = sandbox ? 'return-url-sandbox' : 'https-url'
  const returnUrlWords = `an HTTPS URL of at most 250 characters${sandbox ? ', or one that begins with http://localhost' : ''}; ${RETURN_REMARK}`
  const shortestSeconds: number = sandbox ? 5 : 300
  return {
    type: 'object',
    additionalProperties: false,
    required: ['order_id', 'amount', 'customer'],
    properties: {
      order_id: ORDER_ID_SCHEMA,
      amount: AMOUNT_SCHEMA,
      currency: { enum: ['INR'], default: 'INR', description: 'INR' },
      description: { ...plainText(50), description: `${plainText(50).description}; also the note of the UPI link` },
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
      return_url: { type: 'string', maxLength: 250, format: returnUrlFormat, description: returnUrlWords },
      expires_in: {
        type: 'integer',
        minimum: shortestSeconds,
        maximum: 3600,
        default: 1200,
        description: `a whole number of seconds from ${shortestSeconds} to 3600`,
      },
      max_attempts: { type: 'integer', minimum: 1, maximum: 5, default: 1, description: 'a whole number from 1 to 5' },
      udf1: plainText(256),
      udf2: plainText(256),
      udf3: plainText(256),
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
