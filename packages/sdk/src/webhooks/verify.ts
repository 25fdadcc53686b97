import { GatewayError } from '../errors.ts'
import type { RefundWebhookPayload, WebhookPayload } from '../generated/types.ts'
import type { HeaderReader, WebhookHeaders } from './headers.ts'
import type { WebhookSecrets } from './sign.ts'
import { checkSignature, type RawBody, type VerifyOptions } from './signature.ts'

/** A webhook whose signature was verified. */
export interface WebhookEvent {
  /** `webhook-id`: the same on every attempt. Deduplicate by it. */
  readonly id: string
  /** `webhook-timestamp`: the time of this attempt. */
  readonly at: Date
  /** `webhook-attempt`, from 1. */
  readonly attempt: number
  /** `webhook-sequence`: ignore a lower one than you have seen of this transaction. */
  readonly sequence: number
  /** A test event, which belongs to no order. */
  readonly isTest: boolean
  readonly payload: WebhookPayload
}

/**
 * Verifies that the gateway signed this webhook of a payment with one of your secrets within the last five minutes.
 *
 * @param rawBody the body exactly as it came, or in base64 as Lambda gives it; a parsed and re-serialised one has other bytes
 * @param headers the headers of the request
 * @param secrets your signing secret, or several while you rotate it
 * @throws `SignatureError` for a webhook that is not genuine: answer it with 401; `GatewayError` for one that cannot be read: answer
 *   it with 500
 * @example
 * const { id, payload } = await verify(await request.text(), request.headers, secret)
 */
export async function verify(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: WebhookSecrets,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const { id, timestamp, json: payload, header } = await checkSignature(rawBody, headers, secrets, options)
  if (!isPayload(payload)) throw new GatewayError('The webhook is genuine, but its body is not the status of a payment')
  return {
    id,
    at: new Date(timestamp * 1000),
    attempt: Number(header('webhook-attempt') ?? 1),
    sequence: sequenceOf(header),
    isTest: header('webhook-test') === 'true',
    payload,
  }
}

/** The header is not signed. Without it the sequence is 0. */
function sequenceOf(header: HeaderReader): number {
  const sequence = header('webhook-sequence') ?? '0'
  if (!/^\d{1,15}$/u.test(sequence)) throw new GatewayError('webhook-sequence is not a whole number')
  return Number(sequence)
}

function isPayload(value: unknown): value is WebhookPayload {
  const { txnid, merchantTxnId, status } = fieldsOf(value)
  return [txnid, merchantTxnId, status].every((field) => typeof field === 'string')
}

/** A webhook of a refund whose signature was verified. Ignore a lower `data.sequence` than you have seen of this refund. */
export interface RefundWebhookEvent extends RefundWebhookPayload {
  /** `webhook-id`: the same on every attempt. Deduplicate by it. */
  readonly id: string
}

/**
 * Like `verify`, for a webhook of a refund.
 *
 * @param secrets the signing secret of your refund endpoint, which has its own, or several while you rotate it
 * @example
 * const { type, data } = await verifyRefund(await request.text(), request.headers, refundSecret)
 * if (type === 'refund.succeeded') markRefunded(data.order_id, data.amount)
 */
export async function verifyRefund(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: WebhookSecrets,
  options: VerifyOptions = {},
): Promise<RefundWebhookEvent> {
  const { id, json: body } = await checkSignature(rawBody, headers, secrets, options)
  if (!isRefundBody(body)) throw new GatewayError('The webhook is genuine, but its body is not the status of a refund')
  return { id, type: body.type, timestamp: body.timestamp, data: body.data }
}

function isRefundBody(body: unknown): body is RefundWebhookPayload {
  const { type, timestamp, data } = fieldsOf(body)
  const { id, refund_id, order_id, transaction_id, amount, status } = fieldsOf(data)
  const texts = [type, timestamp, id, refund_id, order_id, transaction_id, amount, status]
  return texts.every((field) => typeof field === 'string') && String(type).startsWith('refund.')
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
