import { compile } from '@gateway/contracts'

export const WEBHOOK_RETRY = 'webhook.retry'

/** Triggers one more attempt. It carries no payload: the delivery's record has it. */
export interface RetryMessage {
  readonly type: typeof WEBHOOK_RETRY
  readonly version: 1
  readonly delivery_id: string
  /** The number of the attempt to make. */
  readonly attempt: number
  readonly merchant_id: string
  readonly url: string
}

export const retryMessage = compile<RetryMessage>({
  $id: 'message/webhook.retry/1',
  type: 'object',
  additionalProperties: false,
  required: ['type', 'version', 'delivery_id', 'attempt', 'merchant_id', 'url'],
  properties: {
    type: { const: WEBHOOK_RETRY },
    version: { const: 1 },
    delivery_id: { type: 'string', minLength: 1 },
    attempt: { type: 'integer', minimum: 1 },
    merchant_id: { type: 'string', minLength: 1 },
    url: { type: 'string', minLength: 1 },
  },
})
