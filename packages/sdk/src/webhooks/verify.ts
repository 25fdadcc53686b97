import { GatewayError } from '../errors.ts'
import type { WebhookPayload } from '../generated/types.ts'
import type { HeaderReader, WebhookHeaders } from './headers.ts'
import type { WebhookSecrets } from './secret.ts'
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
  if (typeof value !== 'object' || value === null) return false
  const { txnid, merchantTxnId, status }: Partial<Record<string, unknown>> = { ...value }
  return [txnid, merchantTxnId, status].every((field) => typeof field === 'string')
}
