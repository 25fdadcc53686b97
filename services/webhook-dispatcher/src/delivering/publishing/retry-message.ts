import { compileReader, type FromSchema } from '@gateway/contracts'

export const WEBHOOK_RETRY = 'webhook.retry'

/** Triggers one more attempt. It carries no payload: the delivery's record has it. */
const retryMessageSchema = {
  $id: 'message/webhook.retry/1',
  type: 'object',
  additionalProperties: false,
  required: ['type', 'version', 'delivery_id', 'attempt', 'endpoint_id', 'url'],
  properties: {
    type: { const: WEBHOOK_RETRY },
    version: { const: 1 },
    delivery_id: { type: 'string', minLength: 1 },
    /** The number of the attempt to make. */
    attempt: { type: 'integer', minimum: 1 },
    endpoint_id: { type: 'string', minLength: 1 },
    url: { type: 'string', minLength: 1 },
  },
} as const
export type RetryMessage = FromSchema<typeof retryMessageSchema>

export const retryMessage = compileReader(retryMessageSchema)
