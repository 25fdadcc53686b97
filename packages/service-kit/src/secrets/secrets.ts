import { createCipheriv, createDecipheriv, createSecretKey, hash, timingSafeEqual } from 'node:crypto'
import { Fault, pooledRandomBytes } from '@gateway/contracts'

/** Encrypts secrets at rest with AES-256-GCM. Each text names its key, so that the master key can rotate (design, section 8). */
export interface Sealer {
  /** Returns `v1.<key id>.<nonce>.<ciphertext and tag>`. The text only opens with the same `context`, such as its record's id. */
  seal(plain: Buffer, context: string): string
  /** Throws when the key is unknown, the text was changed, or the context differs. */
  open(sealed: string, context: string): Buffer
}

/** Keys by id. The first one seals, all of them open. */
export type MasterKeys = ReadonlyMap<string, Buffer>

const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSealer(keys: MasterKeys): Sealer {
  const [current] = keys
  if (!current) throw new Fault('at least one master key is needed')
  const [currentId] = current
  const currentKey = createSecretKey(current[1])
  const secrets = new Map([...keys].map(([id, bytes]) => [id, createSecretKey(bytes)]))
  return {
    seal(plain, context) {
      const nonce = pooledRandomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', currentKey, nonce).setAAD(aad(currentId, context))
      const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
      return `v1.${currentId}.${nonce.toString('base64url')}.${sealed.toString('base64url')}`
    },
    open(sealed, context) {
      const [version, keyId = '', nonce = '', text = ''] = sealed.split('.')
      const key = secrets.get(keyId)
      if (version !== 'v1' || !key) throw new Fault(`no master key "${keyId}" to open a secret with`)
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES })
        .setAAD(aad(keyId, context))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()])
    },
  }
}

/** The id of the key that sealed a text; `undefined` when it is not a sealed text. */
export function keyIdOf(sealed: string): string | undefined {
  return /^v1\.([A-Za-z0-9_-]{1,32})\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/u.exec(sealed)?.[1]
}

/** Reads `MASTER_KEYS`: `<id>:<32 bytes in base64>`, separated by commas, the current one first. Throws on any other text and on a repeated id. */
export function parseMasterKeys(text: string): MasterKeys {
  const entries = text.split(',').map((part): [string, Buffer] => {
    const [, id, key] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]{43}=?)\s*$/u.exec(part) ?? []
    if (id === undefined || key === undefined) throw new Fault('master keys are <id>:<32 bytes in base64>, separated by commas')
    return [id, Buffer.from(key, 'base64')]
  })
  const keys = new Map(entries)
  // A repeated id would drop the earlier key, and with it everything sealed under it.
  if (keys.size !== entries.length) throw new Fault('master keys must have distinct ids')
  return keys
}

function aad(keyId: string, context: string): Buffer {
  return Buffer.from(`${keyId}\n${context}`)
}

/** Compares a given secret. The time taken depends neither on its length nor on the first differing byte. */
export function isSameSecret(given: string, secret: string): boolean {
  // `timingSafeEqual` needs equal lengths; digests have one.
  return timingSafeEqual(digest(given), digest(secret))
}

/** `isSameSecret` for a secret that is compared often: its digest is computed once. */
export function secretMatcher(secret: string): (given: string) => boolean {
  const expected = digest(secret)
  return (given) => timingSafeEqual(digest(given), expected)
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
