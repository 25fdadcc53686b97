import { webcrypto } from 'node:crypto'
import { compactDecrypt, CompactEncrypt, errors } from 'jose'
import { LRUCache } from 'lru-cache'
import { tokenInvalid } from '@gateway/contracts'

/** A secret with its sealed text. The sealed text identifies the secret without revealing it. */
interface SealedSecret {
  readonly sealed: string
  /** Opens the sealed text. Called only when the key is not cached. */
  readonly unseal: () => Buffer
}

/** Importing a key costs more than using it, so the most recently used ones are cached. A changed secret has another sealed text. */
const MAX_CACHED_KEYS = 10_000

export type MerchantJwe = ReturnType<typeof createMerchantJwe>

/** Decrypts and encrypts merchants' tokens: compact JWE, `alg: dir`, `enc: A256GCM` (RFC 7516). */
export function createMerchantJwe() {
  const keys = new LRUCache<string, webcrypto.CryptoKey>({ max: MAX_CACHED_KEYS })

  async function importedKey({ sealed, unseal }: SealedSecret): Promise<webcrypto.CryptoKey> {
    const cached = keys.get(sealed)
    if (cached) return cached
    const key = await webcrypto.subtle.importKey('raw', unseal(), 'AES-GCM', false, ['encrypt', 'decrypt'])
    keys.set(sealed, key)
    return key
  }

  return {
    /** The decrypted claims as text. Throws `token_invalid` when the secret does not decrypt the token. */
    async decrypt(token: string, secret: SealedSecret): Promise<string> {
      const key = await importedKey(secret)
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
    async encrypt(claims: object, keyId: string, secret: SealedSecret): Promise<string> {
      return new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyId })
        .encrypt(await importedKey(secret))
    },
  }
}
