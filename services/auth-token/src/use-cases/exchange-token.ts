import { readKeyId, tokenInvalid, type ExchangedToken } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { secretContext, type Environment } from '../domain/merchant.ts'
import { readClaims } from '../domain/merchant-token.ts'
import { INTERNAL_TOKEN_MAX_SECONDS } from '../domain/signing-keys.ts'
import type { Merchants } from '../persistence/merchants.ts'
import { signInternalToken } from '../tokens/ed25519.ts'
import type { MerchantJwe } from '../tokens/merchant-jwe.ts'
import type { KeyRing } from './key-ring.ts'

export type ExchangeToken = (token: string) => Promise<ExchangedToken>

interface Dependencies {
  readonly merchants: Pick<Merchants, 'findCredential'>
  readonly sealer: Sealer
  readonly jwe: MerchantJwe
  readonly keyRing: KeyRing
  readonly environment: Environment
  readonly now: () => Date
}

/**
 * Exchanges a merchant's token for an internal one. The credential is read from the database each time, so that a revocation
 * takes effect at once on every replica; the gateway caches the answer. Throws `token_invalid` or `token_expired`.
 */
export function makeExchangeToken({ merchants, sealer, jwe, keyRing, environment, now }: Dependencies): ExchangeToken {
  return async (token) => {
    const keyId = readKeyId(token, environment)
    const found = await merchants.findCredential(keyId)
    const sealed = found?.credential.sealedSecret
    if (!found || found.credential.status !== 'active' || typeof sealed !== 'string') throw tokenInvalid()

    const text = await jwe.decrypt(token, { sealed, unseal: () => sealer.open(sealed, secretContext(keyId)) })
    const at = now()
    const { endsAt } = readClaims(text, { keyId, environment, now: at })

    const issuedAt = Math.floor(at.getTime() / 1000)
    const expiresAt = Math.min(issuedAt + INTERNAL_TOKEN_MAX_SECONDS, endsAt)
    const claims = { sub: found.merchantId, env: environment, cid: keyId, ...found.merchant }
    return {
      internal_token: await signInternalToken(claims, { issuedAt, expiresAt }, await keyRing.current()),
      expires_at: new Date(expiresAt * 1000).toISOString(),
      merchant_id: found.merchantId,
      credential_id: keyId,
    }
  }
}
