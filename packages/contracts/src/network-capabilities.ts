import { AMOUNT_SCHEMA } from './http/create-order.ts'
import { dataOf, exactFields, listOf, requiredFields, time, tr } from './schema-parts.ts'
import { compile, type FromSchema } from './schema.ts'
import { PAYMENT_METHODS } from './transaction.ts'

/** What a connector says about itself, and the calls that only some connectors have (design, section 11). */

/** Where a connector says what it can do. */
export const CAPABILITIES_PATH = '/network/v1/capabilities'

const flag = { type: 'boolean' } as const

/** The answer of `GET /network/v1/capabilities`. What is left out, the connector cannot do. Unknown fields are ignored. */
export const capabilitiesSchema = requiredFields(
  /** The number of the contract. There is one so far, 1. */
  { contract: { type: 'integer', minimum: 1 } },
  {
    refunds: {
      ...requiredFields({
        /** How long after the capture a refund can be requested. */
        window_days: { type: 'integer', minimum: 1, maximum: 3650 },
        /** Whether less than the capture can be refunded. */
        partial: flag,
      }),
      type: ['object', 'null'],
    },
    /** The connector mints and signs UPI links. */
    intents: flag,
    /** A UPI `start` may carry a VPA, which asks the payer's app to pay. */
    upi_collect: flag,
    downtimes: flag,
    enquiry: {
      ...requiredFields({
        /** The first enquiry about a UPI payment may come this long after it. */
        first_after_ms: { type: 'integer', minimum: 0, maximum: 86_400_000 },
        /** Enquiries about one UPI payment at most. */
        max: { type: 'integer', minimum: 1, maximum: 1000 },
      }),
      type: ['object', 'null'],
    },
  },
)
export type Capabilities = FromSchema<typeof capabilitiesSchema>
export const capabilities = compile(capabilitiesSchema)

/**
 * UPI links, for connectors with the capability `intents`.
 *
 *   POST /network/v1/intents    header idempotency-key = tr    → 200 IntentResponse, the same link for the same tr
 */
export const NETWORK_INTENTS_PATH = '/network/v1/intents'

/** No UPI link is longer: a QR code of a longer one cannot be read by phones. */
export const MAX_INTENT_LENGTH = 2000

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength }) as const

export const intentRequestSchema = exactFields({
  /** The acquirer may write another reference into the link; the connector then maps it back to this one. */
  tr,
  amount: AMOUNT_SCHEMA,
  /** What the payer sees. */
  note: text(50),
  merchant: exactFields({ id: text(64), name: text(100), vpa: text(320), mcc: { type: 'string', pattern: '^\\d{4}$' } }),
  /** No payment may be accepted by the link from then on. */
  expires_at: time,
})
export type IntentRequest = FromSchema<typeof intentRequestSchema>
export const intentRequest = compile(intentRequestSchema)

export const intentResponseSchema = requiredFields({ intent: text(MAX_INTENT_LENGTH), signed: flag })
export type IntentResponse = FromSchema<typeof intentResponseSchema>
export const intentResponse = compile(intentResponseSchema)

/** Where a connector with the capability `downtimes` lists what does not work or is about to stop. */
export const NETWORK_DOWNTIMES_PATH = '/network/v1/downtimes'

export const DOWNTIME_SEVERITIES = ['low', 'medium', 'high'] as const
export type DowntimeSeverity = (typeof DOWNTIME_SEVERITIES)[number]

const method = { enum: PAYMENT_METHODS, description: PAYMENT_METHODS.join(', ') } as const
const severity = {
  enum: DOWNTIME_SEVERITIES,
  description: 'low: as good as usual; medium: some payments fail or are slow; high: payments do not work',
} as const
const began_at = { ...time, description: 'when it began or begins' } as const
const instrument = {
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 50,
  description: 'the bank (the code of net banking), card network or UPI handle; null for the whole method',
} as const
const ended_at = {
  ...time,
  type: ['string', 'null'],
  description: 'when it ended or ends; null while that is unknown',
} as const

/** A method, or one bank, card network or UPI handle of it, that does not work well. Unknown fields are ignored. */
export const downtimeSchema = requiredFields({ method, severity, began_at }, { instrument, ended_at })
export type Downtime = FromSchema<typeof downtimeSchema>

export const downtimesSchema = { type: 'array', maxItems: 500, items: downtimeSchema } as const
/** The answer of `GET /network/v1/downtimes`. */
export const downtimes = compile(downtimesSchema)

/** Whether a downtime has begun and has not ended. */
export function isDown({ began_at, ended_at = null }: Pick<Downtime, 'began_at' | 'ended_at'>, now: Date): boolean {
  return new Date(began_at) <= now && (ended_at === null || now < new Date(ended_at))
}

/** A downtime as merchants see it. */
export const downtimeViewSchema = requiredFields({ method, instrument, severity, began_at, ended_at })
export type DowntimeView = FromSchema<typeof downtimeViewSchema>

/** The answer of `GET /api/v1/downtimes`. */
export const downtimesResponseSchema = dataOf({ downtimes: listOf(downtimeViewSchema) })
export type DowntimesResponse = FromSchema<typeof downtimesResponseSchema>
