import { concat, fromBase64, toBase64, utf8 } from '../encoding.ts'
import { GatewayError } from '../errors.ts'

export interface SignOptions {
  /** `webhook-id`; a random one by default. */
  readonly id?: string
  /** The time of the signature; now by default. */
  readonly at?: Date
}

/** The headers of a signed webhook. */
export interface SignedHeaders extends Readonly<Record<string, string>> {
  readonly 'content-type': string
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/**
 * Signs a body as the gateway does (https://www.standardwebhooks.com), for tests of your own receiver.
 *
 * @returns the headers to send with it
 * @example
 * const body = JSON.stringify({ txnid: 'T1', merchantTxnId: 'ORD-1001', status: 'Success', amount: '499.00' })
 * const headers = await sign(body, secret)
 * await fetch('http://localhost:3000/hook', { method: 'POST', body, headers })
 */
export async function sign(body: Uint8Array | string, secret: string, options: SignOptions = {}): Promise<SignedHeaders> {
  const { id = `evt_${crypto.randomUUID()}`, at = new Date() } = options
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const mac = await crypto.subtle.sign('HMAC', await importSecret(secret), signedBytes(id, timestamp, body))
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${toBase64(new Uint8Array(mac))}`,
  }
}

/** What a signature covers: `id.timestamp.body`. */
export function signedBytes(id: string, timestamp: string, body: Uint8Array | string): Uint8Array<ArrayBuffer> {
  return concat(utf8(`${id}.${timestamp}.`), typeof body === 'string' ? utf8(body) : body)
}

/** An imported key of WebCrypto. */
type SecretKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const PREFIX = 'whsec_'
const MIN_BYTES = 24

/** Your signing secret, or several while you rotate it. Entries without a text are left out, such as an unset variable. */
export type WebhookSecrets = string | readonly (string | undefined)[]

/** Imports every secret that is there. Throws when there is none, or when one cannot be used. */
export async function importSecrets(secrets: WebhookSecrets): Promise<SecretKey[]> {
  const given = [secrets].flat().filter((secret): secret is string => (secret ?? '').trim() !== '')
  if (given.length === 0) throw new GatewayError('verify needs at least one signing secret')
  return Promise.all(given.map((secret) => importSecret(secret)))
}

/** Imports `whsec_<base64>` for HMAC-SHA256. Throws when the text is no such secret, or a short one. */
async function importSecret(secret: string): Promise<SecretKey> {
  // A secret from a file often ends with a line break.
  const text = secret.trim()
  const bytes = fromBase64(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text)
  if (!bytes || bytes.length < MIN_BYTES)
    throw new GatewayError(`A signing secret is ${PREFIX} and at least ${MIN_BYTES} bytes in base64`)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}
