import { fromBase64 } from '../encoding.ts'
import { GatewayError } from '../errors.ts'

/** An imported key of WebCrypto. */
export type SecretKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

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
export async function importSecret(secret: string): Promise<SecretKey> {
  // A secret from a file often ends with a line break.
  const text = secret.trim()
  const bytes = fromBase64(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text)
  if (!bytes || bytes.length < MIN_BYTES)
    throw new GatewayError(`A signing secret is ${PREFIX} and at least ${MIN_BYTES} bytes in base64`)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}
