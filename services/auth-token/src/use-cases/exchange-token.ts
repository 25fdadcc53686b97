import {
  readKeyId,
  Refused,
  tokenInvalid,
  type ExchangedTokens,
  type InternalClaims,
  type MerchantService,
} from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { isLive, secretContext, type Environment, type OwnedCredential } from '../domain/merchant.ts'
import { readClaims } from '../domain/merchant-token.ts'
import { INTERNAL_TOKEN_MAX_SECONDS } from '../domain/signing-keys.ts'
import type { Merchants } from '../persistence/merchants.ts'
import { signInternalToken } from '../tokens/ed25519.ts'
import type { MerchantJwe } from '../tokens/merchant-jwe.ts'
import type { KeyRing } from './key-ring.ts'
import type { NoteFailure } from './count-refusals.ts'
import type { NoteUse } from './note-use.ts'

export type ExchangeToken = (token: string, audiences: readonly MerchantService[]) => Promise<ExchangedTokens>

/** What reading a merchant's credential and its token needs. */
export interface TokenParts {
  readonly merchants: Pick<Merchants, 'findCredential'>
  readonly sealer: Sealer
  readonly jwe: MerchantJwe
  readonly environment: Environment
  readonly noteFailure: NoteFailure
  readonly now: () => Date
}

/**
 * Exchanges a merchant's token for internal ones, one for each service that the gateway names. The credential is read from the
 * database each time, so that a revocation takes effect at once on every replica; the gateway caches the answer. Throws
 * `token_invalid` or `token_expired`.
 */
export function makeExchangeToken(parts: TokenParts, keyRing: KeyRing, noteUse: NoteUse): ExchangeToken {
  const { merchants, environment, now } = parts
  return async (token, audiences) => {
    const keyId = readKeyId(token, environment)
    const found = await merchants.findCredential(keyId)
    if (!found) throw tokenInvalid()
    const { merchantId, merchant, credential } = found
    const at = now()
    const { endsAt } = await readToken(token, found, parts)
    noteUse(keyId)
    const issuedAt = Math.floor(at.getTime() / 1000)
    const credentialEndsAt = credential.expires_at ? Math.floor(credential.expires_at.getTime() / 1000) : Infinity
    const expiresAt = Math.min(issuedAt + INTERNAL_TOKEN_MAX_SECONDS, endsAt, credentialEndsAt)
    const own = { sub: merchantId, env: environment, cid: keyId, scp: credential.scopes, ...merchant }
    const claims: InternalClaims = credential.expires_at ? { ...own, cxp: credentialEndsAt } : own
    const key = await keyRing.current()
    const sign = (audience: MerchantService) => signInternalToken(claims, { audience, issuedAt, expiresAt }, key)
    const tokens = await Promise.all(audiences.map(async (service) => [service, await sign(service)] as const))
    return {
      internal_tokens: Object.fromEntries(tokens),
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
  { sealer, jwe, environment, now, noteFailure }: TokenParts,
): Promise<{ endsAt: number }> {
  const { key_id: keyId, sealed_secret: sealed } = credential
  try {
    if (!isLive(credential, now()) || sealed === null) throw tokenInvalid()
    const text = await jwe.decrypt(token, { sealed, unseal: () => sealer.open(sealed, secretContext(keyId)) })
    return readClaims(text, { keyId, environment, now: now() })
  } catch (error) {
    if (error instanceof Refused && error.code === 'token_invalid') noteFailure({ merchantId, keyId })
    throw error
  }
}
