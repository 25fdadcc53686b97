import { fromBase64 } from '../encoding.ts'
import { GatewayError, SignatureError } from '../errors.ts'
import type { WebhookEvent, WebhookPayload } from '../types/webhooks.ts'
import { headerOf, type WebhookHeaders } from './headers.ts'
import { importSecret } from './secret.ts'
import { signedBytes } from './sign.ts'

const TOLERANCE_SECONDS = 300
/** The gateway sends one for each live secret, which are few. */
const MAX_SIGNATURES = 8

export interface VerifyOptions {
  /** The time to compare the timestamp with, for tests; now by default. */
  readonly now?: Date
}

/**
 * Verifies that the gateway signed this webhook with one of your secrets within the last five minutes.
 *
 * @param rawBody the body exactly as it came; a parsed and re-serialised one has other bytes
 * @param secrets your signing secret, or several while you rotate it
 * @throws `SignatureError` for a webhook that is not genuine: answer it with 401; `GatewayError` for one that cannot be read: answer
 *   it with 500
 * @example
 * const { id, payload } = await verify(await request.text(), request.headers, secret)
 */
export async function verify(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw new GatewayError('verify needs the raw body as text or bytes, not a parsed object')
  const keys = await Promise.all([secrets].flat().map((secret) => importSecret(secret)))
  if (keys.length === 0) throw new GatewayError('verify needs at least one signing secret')
  const id = required(headers, 'webhook-id')
  const timestamp = required(headers, 'webhook-timestamp')
  const signature = required(headers, 'webhook-signature')
  checkTimestamp(timestamp, now)
  const signed = signedBytes(id, timestamp, rawBody)
  for (const given of signaturesIn(signature))
    for (const key of keys)
      if (await crypto.subtle.verify('HMAC', key, given, signed)) return eventOf(id, timestamp, headers, rawBody)
  throw new SignatureError('No signature is by one of the secrets', 'signature_mismatch')
}

function required(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name)
  if (!value) throw new SignatureError(`The header ${name} is missing`, 'header_missing')
  return value
}

function checkTimestamp(timestamp: string, now: Date): void {
  if (!/^\d{1,12}$/u.test(timestamp)) throw new SignatureError('webhook-timestamp is not a number', 'timestamp_invalid')
  const ageSeconds = now.getTime() / 1000 - Number(timestamp)
  if (ageSeconds > TOLERANCE_SECONDS) throw new SignatureError('The webhook is older than five minutes', 'timestamp_too_old')
  // Negated, so that an invalid `now` is refused and not accepted.
  if (!(ageSeconds >= -TOLERANCE_SECONDS)) throw new SignatureError('The webhook is from the future', 'timestamp_too_new')
}

function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  const versioned = header.split(' ').slice(0, MAX_SIGNATURES)
  return versioned.flatMap((part) => (part.startsWith('v1,') ? (fromBase64(part.slice('v1,'.length)) ?? []) : []))
}

function eventOf(id: string, timestamp: string, headers: WebhookHeaders, rawBody: Uint8Array | string): WebhookEvent {
  const payload = parse(typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody))
  if (!isPayload(payload)) throw new GatewayError('The webhook is genuine, but its body is not the status of a payment')
  return {
    id,
    at: new Date(Number(timestamp) * 1000),
    attempt: Number(headerOf(headers, 'webhook-attempt') ?? 1),
    sequence: sequenceOf(headers),
    isTest: headerOf(headers, 'webhook-test') === 'true',
    payload,
  }
}

/** The header is not signed. Without it the sequence is 0. */
function sequenceOf(headers: WebhookHeaders): number {
  const sequence = headerOf(headers, 'webhook-sequence') ?? '0'
  if (!/^\d{1,15}$/u.test(sequence)) throw new GatewayError('webhook-sequence is not a whole number')
  return Number(sequence)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isPayload(value: unknown): value is WebhookPayload {
  if (typeof value !== 'object' || value === null) return false
  const { txnid, merchantTxnId, status }: Partial<Record<string, unknown>> = { ...value }
  return [txnid, merchantTxnId, status].every((field) => typeof field === 'string')
}
