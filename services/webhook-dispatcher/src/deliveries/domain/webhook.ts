import {
  formatIst,
  formatPaise,
  REFUND_STATUS_CHANGED,
  refundViewSchema,
  type RefundStatusChanged,
  type TransactionStatusChanged,
  type WebhookPayload,
} from '@gateway/contracts'
import { type Channel, type EndpointId, endpointIdOf } from '../../endpoints/index.ts'

/** An event that merchants are told by a webhook. */
export type WebhookEvent = TransactionStatusChanged | RefundStatusChanged

/** The webhook of an event. */
export interface Webhook {
  readonly channel: Channel
  readonly endpointId: EndpointId
  /** The webhook goes to the URL that was registered at this instant. */
  readonly boundAt: Date
  readonly body: string
}

export function webhookOf(event: WebhookEvent): Webhook {
  const { merchant_id } = event.data
  const [channel, boundAt, body] = isRefund(event)
    ? (['refund', event.data.created_at, refundPayloadOf(event)] as const)
    : (['payment', event.data.order_created_at, payloadOf(event)] as const)
  return { channel, endpointId: endpointIdOf({ merchant_id, channel }), boundAt: new Date(boundAt), body: JSON.stringify(body) }
}

function isRefund(event: WebhookEvent): event is RefundStatusChanged {
  return event.type === REFUND_STATUS_CHANGED
}

/** The body of a refund's webhook: the refund as the API shows it, in the form of Standard Webhooks. */
function refundPayloadOf({ occurred_at, data }: RefundStatusChanged): object {
  const view = Object.fromEntries(refundViewSchema.required.map((key) => [key, data[key]]))
  return { type: `refund.${data.status}`, timestamp: occurred_at, data: view }
}

/** The payload of one status change. */
export function payloadOf({ data, occurred_at }: TransactionStatusChanged): WebhookPayload {
  return {
    txnid: data.transaction_id,
    merchantTxnId: data.order_id,
    amount: formatPaise(data.amount_paise),
    rrn: data.rrn ?? '',
    status: data.status,
    ...(data.payer !== null && data.method === 'upi' ? { payee: { name: data.payer.name, vpa: data.payer.vpa } } : {}),
    metadata: { udf1: data.udf1, udf2: data.udf2, udf3: data.udf3 },
    datetime: formatIst(new Date(occurred_at)),
  }
}

/** A payload with the same fields that belongs to no order, for `POST /api/v1/webhooks/test`. */
export function testPayload(transactionId: string, now: Date): WebhookPayload {
  return {
    txnid: transactionId,
    merchantTxnId: `TEST-${transactionId}`,
    amount: '1.00',
    rrn: '000000000000',
    status: 'Success',
    payee: { name: 'Test Payer', vpa: 'test@sandbox' },
    metadata: { udf1: '', udf2: '', udf3: '' },
    datetime: formatIst(now),
  }
}
