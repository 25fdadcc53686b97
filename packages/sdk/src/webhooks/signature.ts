import { fromBase64, utf8 } from '../encoding.ts'
import { GatewayError, SignatureError } from '../errors.ts'
import { readHeaders, type HeaderReader, type WebhookHeaders } from './headers.ts'
import { importSecrets, signedBytes, type WebhookSecrets } from './sign.ts'

const TOLERANCE_SECONDS = 300
/** The gateway sends one for each live secret, which are few. */
const MAX_SIGNATURES = 8

export interface VerifyOptions {
  /** The time to compare the timestamp with, for tests; now by default. */
  readonly now?: Date
}

/** The body exactly as it came. */
export type RawBody = Uint8Array | ArrayBuffer | string

/** A webhook whose signature is genuine. */
export interface SignedWebhook {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  /** The parsed JSON of the signed bytes; `undefined` when they are not JSON. */
  readonly json: unknown
  readonly header: HeaderReader
}

/** Throws `SignatureError` unless the gateway signed the body with one of the secrets within the last five minutes. */
export async function checkSignature(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: WebhookSecrets,
  { now = new Date() }: VerifyOptions,
): Promise<SignedWebhook> {
  const bodies = bodiesIn(rawBody)
  const keys = await importSecrets(secrets)
  const header = readHeaders(headers)
  const id = required(header, 'webhook-id')
  const timestamp = required(header, 'webhook-timestamp')
  const signatures = signaturesIn(required(header, 'webhook-signature'))
  checkTimestamp(timestamp, now)
  for (const body of bodies) {
    const signed = signedBytes(id, timestamp, body)
    for (const given of signatures)
      for (const key of keys)
        if (await crypto.subtle.verify('HMAC', key, given, signed))
          return { id, timestamp: Number(timestamp), json: parse(body), header }
  }
  throw new SignatureError(
    'None of the given secrets made this signature: the webhook is forged, its body was changed on the way, or the secret is wrong',
    'signature_mismatch',
  )
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u

/**
 * The bytes that may have been signed. Lambda gives a body in base64 (`isBase64Encoded`), which no JSON object looks like; a tool
 * between may end it with a line break.
 */
function bodiesIn(rawBody: RawBody): Uint8Array[] {
  if (typeof rawBody !== 'string') return [bytesOf(rawBody)]
  const trimmed = rawBody.trim()
  const decoded = trimmed !== '' && BASE64.test(trimmed) ? fromBase64(trimmed) : undefined
  return [utf8(rawBody), ...(decoded ? [decoded] : [])]
}

/** Asks for the form and not the class: a test runner has classes of its own. */
function bytesOf(body: unknown): Uint8Array {
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body as ArrayBuffer)
  throw new GatewayError('verify needs the raw body as text or bytes, not a parsed object')
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

function required(header: HeaderReader, name: string): string {
  const value = header(name)
  if (!value) throw new SignatureError(`The header ${name} is missing`, 'header_missing')
  return value
}

function checkTimestamp(timestamp: string, now: Date): void {
  if (!/^\d{1,12}$/u.test(timestamp)) throw new SignatureError('webhook-timestamp is not a number', 'timestamp_invalid')
  const ageSeconds = now.getTime() / 1000 - Number(timestamp)
  const allowed = `at most ${TOLERANCE_SECONDS} s are allowed. Is it repeated, or is this clock wrong?`
  if (ageSeconds > TOLERANCE_SECONDS)
    throw new SignatureError(
      `The webhook was signed ${Math.ceil(ageSeconds)} s before this machine's time; ${allowed}`,
      'timestamp_too_old',
    )
  // Negated, so that an invalid `now` is refused and not accepted.
  if (!(ageSeconds >= -TOLERANCE_SECONDS))
    throw new SignatureError(
      `The webhook was signed ${Math.ceil(-ageSeconds)} s after this machine's time; ${allowed}`,
      'timestamp_too_new',
    )
}

function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  const versioned = header.split(' ').slice(0, MAX_SIGNATURES)
  return versioned.flatMap((part) => (part.startsWith('v1,') ? (fromBase64(part.slice('v1,'.length)) ?? []) : []))
}
