import { AMOUNT_SCHEMA } from './http/create-order.ts'
import { transactionId } from './schema-parts.ts'
import { compile, type FromSchema } from './schema.ts'

/**
 * UPI links of the connector's contract (design, section 11), for connectors with the capability `intents`.
 *
 *   POST /network/v1/intents    header idempotency-key = tr    → 200 IntentResponse, the same link for the same tr
 */
export const NETWORK_INTENTS_PATH = '/network/v1/intents'

/** No UPI link is longer: a QR code of a longer one cannot be read by phones. */
export const MAX_INTENT_LENGTH = 2000

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength }) as const

export const intentRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['tr', 'amount', 'note', 'merchant', 'expires_at'],
  properties: {
    /** The acquirer may write another reference into the link; the connector then maps it back to this one. */
    tr: transactionId,
    amount: AMOUNT_SCHEMA,
    /** What the payer sees. */
    note: text(50),
    merchant: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'name', 'vpa', 'mcc'],
      properties: { id: text(64), name: text(100), vpa: text(320), mcc: { type: 'string', pattern: '^\\d{4}$' } },
    },
    /** No payment may be accepted by the link from then on. */
    expires_at: { type: 'string', format: 'date-time' },
  },
} as const
export type IntentRequest = FromSchema<typeof intentRequestSchema>
export const intentRequest = compile(intentRequestSchema)

export const intentResponseSchema = {
  type: 'object',
  required: ['intent', 'signed'],
  properties: { intent: text(MAX_INTENT_LENGTH), signed: { type: 'boolean' } },
} as const
export type IntentResponse = FromSchema<typeof intentResponseSchema>
export const intentResponse = compile(intentResponseSchema)
