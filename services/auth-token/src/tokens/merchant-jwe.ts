import { webcrypto } from 'node:crypto'
import { compactDecrypt, CompactEncrypt, errors } from 'jose'
import { LRUCache } from 'lru-cache'
import { tokenInvalid } from '../domain/merchant-token.ts'

/** Opens and makes merchants' tokens: compact JWE, `alg: dir`, `enc: A256GCM` (RFC 7516). */
export interface MerchantJwe {
  /** The text inside. Throws `token_invalid` when the secret does not open it. */
  open(token: string, secret: SealedSecret): Promise<string>
  make(claims: object, keyId: string, secret: SealedSecret): Promise<string>
}

/** A secret and the sealed text that it came from, which names it without being it. */
export interface SealedSecret {
  readonly sealed: string
  /** Opens the sealed text; only called when the key is not known yet. */
  readonly unseal: () => Buffer
}

type Key = webcrypto.CryptoKey

/** Importing a key costs more than using it, so the last ones are kept. A changed secret is another sealed text. */
const KEPT_KEYS = 10_000

export function createMerchantJwe(): MerchantJwe {
  const keys = new LRUCache<string, Key>({ max: KEPT_KEYS })

  async function keyOf({ sealed, unseal }: SealedSecret): Promise<Key> {
    const known = keys.get(sealed)
    if (known) return known
    const key = await webcrypto.subtle.importKey('raw', unseal(), 'AES-GCM', false, ['encrypt', 'decrypt'])
    keys.set(sealed, key)
    return key
  }

  return {
    async open(token, secret) {
      const key = await keyOf(secret)
      try {
        const { plaintext } = await compactDecrypt(token, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        })
        return Buffer.from(plaintext).toString()
      } catch (error) {
        if (error instanceof errors.JOSEError) throw tokenInvalid()
        throw error
      }
    },
    async make(claims, keyId, secret) {
      return new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyId })
        .encrypt(await keyOf(secret))
    },
  }
}
