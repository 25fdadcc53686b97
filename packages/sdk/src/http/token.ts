import type { Clock } from '../clock.ts'
import { fromBase64, toBase64Url, utf8 } from '../encoding.ts'
import { GatewayError } from '../errors.ts'

/** What the gateway issued: the id and the secret of one credential, with the names of the API. */
export interface Credentials {
  /** `key_sandbox_…` or `key_live_…`. */
  readonly key_id: string
  /** 32 bytes in base64url. */
  readonly key_secret: string
}

/** The gateway accepts ten minutes at most. */
const LIFETIME_SECONDS = 300
/** The gateway refuses tokens of the future: dating them back lets a clock be this much ahead. */
const CLOCK_AHEAD_SECONDS = 120
const RENEW_AFTER_MS = LIFETIME_SECONDS * 1000 * 0.8
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Bearer tokens of one client. */
export type TokenSource = ReturnType<typeof createTokenSource>

/** Throws at the first use, not here, when the credentials are missing or malformed. */
export function createTokenSource(credentials: Credentials | undefined, clock: Clock) {
  let minted: { readonly token: Promise<string>; readonly atMs: number; settled?: string } | undefined
  return {
    /** A valid token: the same one until 80 % of its life have passed. Callers at the same time share one. */
    current(): Promise<string> {
      const nowMs = clock.now()
      // A clock that was set back also makes a new token: the old one would be from the future.
      if (minted && nowMs >= minted.atMs && nowMs - minted.atMs < RENEW_AFTER_MS) return minted.token
      const started: typeof minted = { token: mintToken(credentials, nowMs), atMs: nowMs }
      minted = started
      started.token.then(
        (token) => (started.settled = token),
        () => {
          if (minted === started) minted = undefined
        },
      )
      return started.token
    },
    /** Makes the next call mint a new token, unless another call has already replaced this one. */
    discard(token: string): void {
      if (minted?.settled === token) minted = undefined
    },
  }
}

/** A compact JWE (RFC 7516), `alg: dir`, `enc: A256GCM`, as docs/design-public-api.md describes. */
async function mintToken(credentials: Credentials | undefined, nowMs: number): Promise<string> {
  const { key_id: keyId, key } = readCredentials(credentials)
  const nowSeconds = Math.floor(nowMs / 1000)
  const header = toBase64Url(utf8(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: keyId })))
  const claims = {
    iss: keyId,
    aud: keyId.startsWith('key_live_') ? 'production' : 'sandbox',
    iat: nowSeconds - CLOCK_AHEAD_SECONDS,
    exp: nowSeconds + LIFETIME_SECONDS,
    jti: crypto.randomUUID(),
  }
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt'])
  const options = { name: 'AES-GCM', iv: nonce, additionalData: utf8(header), tagLength: TAG_BYTES * 8 }
  const sealed = new Uint8Array(await crypto.subtle.encrypt(options, imported, utf8(JSON.stringify(claims))))
  const [ciphertext, tag] = [sealed.slice(0, -TAG_BYTES), sealed.slice(-TAG_BYTES)]
  // The second part, the encrypted key, is empty with `dir`.
  return [header, '', toBase64Url(nonce), toBase64Url(ciphertext), toBase64Url(tag)].join('.')
}

function readCredentials(credentials: Credentials | undefined): { key_id: string; key: Uint8Array<ArrayBuffer> } {
  // A value from a file often ends with a line break.
  const [key_id, key_secret] = [credentials?.key_id, credentials?.key_secret].map((text?: string) => text?.trim())
  if (!key_id || !key_secret)
    throw new GatewayError('The call needs credentials: new Gateway({ credentials: { key_id, key_secret } })')
  if (!/^key_(?:sandbox|live)_/u.test(key_id))
    throw new GatewayError('credentials.key_id must begin with key_sandbox_ or key_live_')
  const key = fromBase64(key_secret)
  if (key?.length !== KEY_BYTES)
    throw new GatewayError('credentials.key_secret must be 32 bytes in base64url, as the gateway issued it')
  return { key_id, key }
}
