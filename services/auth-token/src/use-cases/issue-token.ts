import { randomBytes, randomUUID } from 'node:crypto'
import { MERCHANT_TOKEN_MAX_SECONDS, Refused, type AuthTokenRequest, type AuthTokenResponse } from '@gateway/contracts'
import { isSameSecret } from '@gateway/service-kit'
import { isLive, secretContext } from '../domain/merchant.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../domain/merchant-token.ts'
import type { TokenParts } from './exchange-token.ts'

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
