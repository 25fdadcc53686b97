import { TRANSACTION_ID_PATTERN } from '../ids.ts'
import { compile, compileReader, type FromSchema } from '../schema.ts'
import { ORDER_METHODS } from '../transaction.ts'
import { eventSchema } from './event-schema.ts'

export const ORDER_CREATED = 'order.created'

/** What `payment-status` needs to open a transaction. It has no customer data: e-mail and phone stay in `order-api` (ADR 1). */
export const orderCreatedSchema = eventSchema(ORDER_CREATED, {
  type: 'object',
  additionalProperties: false,
  required: [
    'transaction_id',
    'order_id',
    'merchant',
    'amount_paise',
    'currency',
    'description',
    'methods',
    'return_url',
    'max_attempts',
    'udf1',
    'udf2',
    'udf3',
    'created_at',
    'expires_at',
  ],
  properties: {
    transaction_id: { type: 'string', pattern: TRANSACTION_ID_PATTERN },
    order_id: { type: 'string' },
    merchant: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'name', 'vpa', 'mcc'],
      properties: { id: { type: 'string' }, name: { type: 'string' }, vpa: { type: 'string' }, mcc: { type: 'string' } },
    },
    amount_paise: { type: 'integer', minimum: 1 },
    currency: { const: 'INR' },
    description: { type: 'string' },
    methods: { type: 'array', minItems: 1, items: { enum: ORDER_METHODS } },
    return_url: { type: ['string', 'null'] },
    max_attempts: { type: 'integer', minimum: 1, maximum: 5 },
    udf1: { type: 'string' },
    udf2: { type: 'string' },
    udf3: { type: 'string' },
    created_at: { type: 'string', format: 'date-time' },
    expires_at: { type: 'string', format: 'date-time' },
  },
})

export type OrderCreated = FromSchema<typeof orderCreatedSchema>
/** What `order-api` may publish: unknown fields are refused. */
export const orderCreated = compile(orderCreatedSchema)
/** What a consumer takes: unknown fields are ignored, so that version 1 can grow by optional fields. */
export const orderCreatedReader = compileReader(orderCreatedSchema)
