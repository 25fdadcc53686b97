import { readKeyId, Refused, tokenInvalid, type ExchangedToken } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { isLive } from '../domain/credential-limits.ts'
import { secretContext, type Environment, type OwnedCredential } from '../domain/merchant.ts'
import { readClaims } from '../domain/merchant-token.ts'
import { INTERNAL_TOKEN_MAX_SECONDS } from '../domain/signing-keys.ts'
import type { Merchants } from '../persistence/merchants.ts'
import { signInternalToken } from '../tokens/ed25519.ts'
import type { MerchantJwe } from '../tokens/merchant-jwe.ts'
import type { KeyRing } from './key-ring.ts'
import type { NoteFailure } from './note-failure.ts'
import type { NoteUse } from './note-use.ts'

export type ExchangeToken = (token: string) => Promise<ExchangedToken>

interface Dependencies {
  readonly merchants: Pick<Merchants, 'findCredential'>
  readonly sealer: Sealer
  readonly jwe: MerchantJwe
  readonly keyRing: KeyRing
  readonly environment: Environment
  readonly noteUse: NoteUse
  readonly noteFailure: NoteFailure
  readonly now: () => Date
}

/**
 * Exchanges a merchant's token for an internal one. The credential is read from the database each time, so that a revocation
 * takes effect at once on every replica; the gateway caches the answer. Throws `token_invalid` or `token_expired`.
 */
export function makeExchangeToken(dependencies: Dependencies): ExchangeToken {
  const { merchants, keyRing, environment, noteUse, now } = dependencies
  return async (token) => {
    const keyId = readKeyId(token, environment)
    const found = await merchants.findCredential(keyId)
    if (!found) throw tokenInvalid()
    const { merchantId, merchant, credential } = found
    const at = now()
    const { endsAt } = await readToken(token, found, dependencies)
    noteUse(keyId)
    const issuedAt = Math.floor(at.getTime() / 1000)
    const credentialEndsAt = credential.expiresAt ? Math.floor(credential.expiresAt.getTime() / 1000) : Infinity
    const expiresAt = Math.min(issuedAt + INTERNAL_TOKEN_MAX_SECONDS, endsAt, credentialEndsAt)
    const claims = { sub: merchantId, env: environment, cid: keyId, scp: credential.scopes, ...merchant }
    return {
      internal_token: await signInternalToken(claims, { issuedAt, expiresAt }, await keyRing.current()),
      expires_at: new Date(expiresAt * 1000).toISOString(),
      merchant_id: merchantId,
      credential_id: keyId,
    }
  }
}

/** Decrypts and checks the token. A token that its credential did not make is counted as a failed authentication. */
async function readToken(
  token: string,
  { merchantId, credential }: OwnedCredential,
  { sealer, jwe, environment, now, noteFailure }: Dependencies,
): Promise<{ endsAt: number }> {
  const { keyId, sealedSecret: sealed } = credential
  try {
    if (!isLive(credential, now()) || sealed === null) throw tokenInvalid()
    const text = await jwe.decrypt(token, { sealed, unseal: () => sealer.open(sealed, secretContext(keyId)) })
    return readClaims(text, { keyId, environment, now: now() })
  } catch (error) {
    if (error instanceof Refused && error.code === 'token_invalid') noteFailure({ merchantId, keyId })
    throw error
  }
}
