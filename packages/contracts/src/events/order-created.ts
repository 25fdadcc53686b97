import { ORDER_TEXT_PROPERTIES } from '../order-texts.ts'
import { exactFields, text, time, transactionId } from '../schema-parts.ts'
import { compile, compileReader, type FromSchema } from '../schema.ts'
import { ORDER_METHODS } from '../transaction.ts'
import { eventSchema } from './event-schema.ts'

export const ORDER_CREATED = 'order.created'

const always = exactFields({
  transaction_id: transactionId,
  order_id: text,
  merchant: exactFields({ id: text, name: text, vpa: text, mcc: text }),
  amount_paise: { type: 'integer', minimum: 1 },
  currency: { const: 'INR' },
  methods: { type: 'array', minItems: 1, items: { enum: ORDER_METHODS } },
  max_attempts: { type: 'integer', minimum: 1, maximum: 5 },
  /** The UPI link; empty when the order cannot be paid by UPI. */
  intent: text,
  created_at: time,
  expires_at: time,
})

/**
 * What `payment-status` needs to open a transaction. It has no customer data: e-mail and phone stay in `order-api` (ADR 1). Its texts
 * are not required: replicas of one release may publish a text that those of another do not have.
 */
export const orderCreatedSchema = eventSchema(ORDER_CREATED, {
  ...always,
  properties: { ...always.properties, ...ORDER_TEXT_PROPERTIES },
})

export type OrderCreated = FromSchema<typeof orderCreatedSchema>
/** What `order-api` may publish: unknown fields are refused. */
export const orderCreated = compile(orderCreatedSchema)
/** What a consumer takes: unknown fields are ignored, so that version 1 can grow by optional fields. */
export const orderCreatedReader = compileReader(orderCreatedSchema)
