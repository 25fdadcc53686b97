import { fromBase64 } from '../encoding.ts'
import { GatewayError } from '../errors.ts'

/** An imported key of WebCrypto. */
export type SecretKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const PREFIX = 'whsec_'
const MIN_BYTES = 24

/** Imports `whsec_<base64>` for HMAC-SHA256. Throws when the text is no such secret, or a short one. */
export async function importSecret(secret: string): Promise<SecretKey> {
  const bytes = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
  if (!bytes || bytes.length < MIN_BYTES)
    throw new GatewayError(`A signing secret is ${PREFIX} and at least ${MIN_BYTES} bytes in base64`)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}
