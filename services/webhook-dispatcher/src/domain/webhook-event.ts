import {
  REFUND_STATUS_CHANGED,
  refundViewSchema,
  type RefundStatusChanged,
  type TransactionStatusChanged,
} from '@gateway/contracts'
import type { Channel } from './channel.ts'
import { payloadOf } from './payload.ts'

/** An event that merchants are told by a webhook. */
export type WebhookEvent = TransactionStatusChanged | RefundStatusChanged

/** What a webhook needs of its event. */
export interface WebhookFacts {
  readonly channel: Channel
  /** The webhook goes to the URL that was registered at this instant. */
  readonly boundAt: Date
  readonly merchantId: string
  readonly body: string
}

export function factsOf(event: WebhookEvent): WebhookFacts {
  const { merchant_id: merchantId } = event.data
  if (isRefund(event)) {
    return {
      channel: 'refund',
      merchantId,
      boundAt: new Date(event.data.created_at),
      body: JSON.stringify(refundPayloadOf(event)),
    }
  }
  const boundAt = new Date(event.data.order_created_at)
  return { channel: 'payment', merchantId, boundAt, body: JSON.stringify(payloadOf(event)) }
}

export function channelOf({ type }: WebhookEvent): Channel {
  return type === REFUND_STATUS_CHANGED ? 'refund' : 'payment'
}

function isRefund(event: WebhookEvent): event is RefundStatusChanged {
  return event.type === REFUND_STATUS_CHANGED
}

/** The body of a refund's webhook: the refund as the API shows it, in the form of Standard Webhooks. */
function refundPayloadOf({ occurred_at, data }: RefundStatusChanged): object {
  const view = Object.fromEntries(refundViewSchema.required.map((key) => [key, data[key]]))
  return { type: `refund.${data.status}`, timestamp: occurred_at, data: view }
}
