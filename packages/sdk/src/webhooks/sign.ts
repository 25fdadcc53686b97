import { concat, toBase64, utf8 } from '../encoding.ts'
import { importSecret } from './secret.ts'

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
