import { randomBytes, randomUUID } from 'node:crypto'
import {
  MERCHANT_TOKEN_MAX_SECONDS,
  readKeyId,
  Refused,
  tokenInvalid,
  type AuthTokenRequest,
  type AuthTokenResponse,
  type ExchangedTokens,
  type InternalClaims,
  type MerchantService,
} from '@gateway/contracts'
import { isSameSecret, type Sealer } from '@gateway/service-kit'
import { isLive, secretContext, type Environment, type OwnedCredential } from '../domain/merchant.ts'
import { CLOCK_TOLERANCE_SECONDS, readClaims } from '../domain/merchant-token.ts'
import { INTERNAL_TOKEN_MAX_SECONDS } from '../domain/signing-keys.ts'
import type { Merchants } from '../persistence/merchants.ts'
import { signInternalToken } from '../tokens/ed25519.ts'
import type { MerchantJwe } from '../tokens/merchant-jwe.ts'
import type { KeyRing } from './key-ring.ts'
import type { NoteFailure } from './count-refusals.ts'
import type { NoteUse } from './note-use.ts'

/** What reading a merchant's credential and its token needs. */
interface TokenParts {
  readonly merchants: Pick<Merchants, 'findCredential'>
  readonly sealer: Sealer
  readonly jwe: MerchantJwe
  readonly environment: Environment
  readonly noteFailure: NoteFailure
  readonly now: () => Date
}

export type ExchangeToken = (token: string, audiences: readonly MerchantService[]) => Promise<ExchangedTokens>

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

export type IssueToken = (request: AuthTokenRequest) => Promise<AuthTokenResponse>

/** Makes the same token that a merchant can make itself with its credential. Throws `credentials_invalid`. */
export function makeIssueToken({ merchants, sealer, jwe, environment, now, noteFailure }: TokenParts): IssueToken {
  // For an unknown key this secret is compared instead, so that the answer takes as long as for a wrong secret.
  const decoy = { keyId: 'nobody', sealed: sealer.seal(randomBytes(32), secretContext('nobody')) }

  return async ({ key_id: keyId, key_secret: given }) => {
    const found = await merchants.findCredential(keyId)
    const sealed = found && isLive(found.credential, now()) ? found.credential.sealed_secret : null
    const compared = sealed === null ? decoy : { keyId, sealed }
    const secret = sealer.open(compared.sealed, secretContext(compared.keyId))
    const same = isSameSecret(given, secret.toString('base64url'))
    if (!same || sealed === null) {
      if (found) noteFailure({ merchantId: found.merchantId, keyId })
      throw new Refused('credentials_invalid', 'The key_id or the key_secret is wrong')
    }

    // A replica whose clock is behind must not find it made in the future; at the end the tolerance makes up for it.
    const iat = Math.floor(now().getTime() / 1000) - CLOCK_TOLERANCE_SECONDS
    const claims = { iss: keyId, aud: environment, iat, exp: iat + MERCHANT_TOKEN_MAX_SECONDS, jti: randomUUID() }
    const token = await jwe.encrypt(claims, keyId, { sealed, unseal: () => secret })
    return { token, token_type: 'Bearer', expires_in: MERCHANT_TOKEN_MAX_SECONDS }
  }
}
