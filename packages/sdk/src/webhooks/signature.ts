import { fromBase64 } from '../encoding.ts'
import { GatewayError, SignatureError } from '../errors.ts'
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

/** What the signature covers besides the body. */
export interface SignedParts {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
}

/** Throws `SignatureError` unless the gateway signed the body with one of the secrets within the last five minutes. */
export async function checkSignature(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { now = new Date() }: VerifyOptions,
): Promise<SignedParts> {
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
      if (await crypto.subtle.verify('HMAC', key, given, signed)) return { id, timestamp: Number(timestamp) }
  throw new SignatureError('No signature is by one of the secrets', 'signature_mismatch')
}

/** The JSON of a body; `undefined` when it is none. */
export function parseBody(rawBody: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody))
  } catch {
    return undefined
  }
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
