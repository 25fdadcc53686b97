import { compile, type FromSchema } from './schema.ts'

/** Where a connector says what it can do. */
export const CAPABILITIES_PATH = '/network/v1/capabilities'

const flag = { type: 'boolean' } as const

/** The answer of `GET /network/v1/capabilities`. What is left out, the connector cannot do. Unknown fields are ignored. */
export const capabilitiesSchema = {
  type: 'object',
  required: ['contract'],
  properties: {
    /** The number of the contract. There is one so far, 1. */
    contract: { type: 'integer', minimum: 1 },
    refunds: {
      type: ['object', 'null'],
      required: ['window_days', 'partial'],
      properties: {
        /** How long after the capture a refund can be requested. */
        window_days: { type: 'integer', minimum: 1, maximum: 3650 },
        /** Whether less than the capture can be refunded. */
        partial: flag,
      },
    },
    /** The connector mints and signs UPI links. */
    intents: flag,
    /** A UPI `start` may carry a VPA, which asks the payer's app to pay. */
    upi_collect: flag,
    downtimes: flag,
    enquiry: {
      type: ['object', 'null'],
      required: ['first_after_ms', 'max'],
      properties: {
        /** The first enquiry about a UPI payment may come this long after it. */
        first_after_ms: { type: 'integer', minimum: 0, maximum: 86_400_000 },
        /** Enquiries about one UPI payment at most. */
        max: { type: 'integer', minimum: 1, maximum: 1000 },
      },
    },
  },
} as const
export type Capabilities = FromSchema<typeof capabilitiesSchema>
export const capabilities = compile(capabilitiesSchema)
