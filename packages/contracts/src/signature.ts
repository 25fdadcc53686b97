import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'

/** Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`. */
const SECRET_PREFIX = 'whsec_'
const TOLERANCE_SECONDS = 300

/** The names of the three headers. */
export const SIGNATURE_HEADERS = { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' } as const

export interface SignedMessage {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string | Buffer
}

/** A key that is imported once: an HMAC with bytes imports them at each call, which costs six times the HMAC. */
export interface SigningKey {
  readonly key: KeyObject
}

/** Reads `whsec_<base64>`. Throws when the text is no such secret. */
export function readSigningSecret(secret: string): SigningKey {
  const bytes = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64')
  if (bytes.length < 24) throw new Error('a signing secret is whsec_ and at least 24 bytes in base64')
  return { key: createSecretKey(bytes) }
}

/** 32 random bytes as `whsec_<base64>`. */
export function formatSigningSecret(bytes: Buffer): string {
  return SECRET_PREFIX + bytes.toString('base64')
}

/** The value of `webhook-signature`: one `v1,…` for each key, separated by spaces, so that secrets can rotate. */
export function sign(id: string, timestampSeconds: number, body: string | Buffer, keys: readonly SigningKey[]): string {
  return keys.map((key) => `v1,${hmac(id, String(timestampSeconds), body, key).toString('base64')}`).join(' ')
}

/** True when one of the signatures is by one of the keys and the timestamp is within five minutes of `now`. */
export function verifySignature(message: SignedMessage, keys: readonly SigningKey[], now: Date): boolean {
  if (!/^\d{1,12}$/u.test(message.timestamp)) return false
  if (Math.abs(now.getTime() / 1000 - Number(message.timestamp)) > TOLERANCE_SECONDS) return false
  const given = message.signature
    .split(' ')
    .slice(0, 8)
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice(3), 'base64'))
  return keys.some((key) => {
    const expected = hmac(message.id, message.timestamp, message.body, key)
    return given.some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
  })
}

function hmac(id: string, timestamp: string, body: string | Buffer, { key }: SigningKey): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
}
