// A Bearer token from a merchant's credentials: a JWE, alg dir, enc A256GCM (RFC 7516). Usage: node token.mjs <key_id> <key_secret>
import { randomUUID } from 'node:crypto'
import { base64url, EncryptJWT } from 'jose'

const [keyId, keySecret] = process.argv.slice(2)
if (!keySecret) {
  console.error('usage: node token.mjs <key_id> <key_secret>')
  process.exit(2)
}
const token = await new EncryptJWT({ iss: keyId, aud: 'sandbox', jti: randomUUID() })
  .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyId })
  .setIssuedAt('2 minutes ago') // the gateway refuses tokens of the future, and this clock may be ahead
  .setExpirationTime('5m')
  .encrypt(base64url.decode(keySecret))
console.log(token)
