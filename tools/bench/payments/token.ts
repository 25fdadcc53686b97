import { randomUUID } from 'node:crypto'
import { EncryptJWT } from 'jose'

export interface Credentials {
  readonly key_id: string
  readonly key_secret: string
}

const TOKEN_SECONDS = 600

/** As any JOSE library makes it (design, section 5). */
export async function makeToken({ key_id: keyId, key_secret: secret }: Credentials): Promise<string> {
  const issuedAt = Math.floor(Date.now() / 1000)
  return new EncryptJWT({ iss: keyId, aud: 'sandbox', jti: randomUUID() })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyId })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + TOKEN_SECONDS)
    .encrypt(Buffer.from(secret, 'base64url'))
}
