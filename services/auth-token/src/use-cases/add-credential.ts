import { randomBytes } from 'node:crypto'
import { DEFAULT_SCOPES, Refused, Unavailable, type Scope } from '@gateway/contracts'
import type { Begin, Sealer } from '@gateway/service-kit'
import { endedLongAgo, refuseTooMany } from '../domain/credential-limits.ts'
import { endingWithMaker } from '../domain/ending.ts'
import { keyIdFrom, secretContext, type Credential, type Environment } from '../domain/merchant.ts'
import type { Merchants } from '../persistence/merchants.ts'

/** What the caller may choose about a new credential. */
export interface CredentialWishes {
  /** `DEFAULT_SCOPES` when left out. */
  readonly scopes?: readonly Scope[] | undefined
  readonly label?: string | undefined
  readonly expiresAt?: Date | undefined
}

/** Contains the secret in clear: it is returned once and cannot be read again. */
export interface NewCredential {
  readonly credential: Credential
  readonly keySecret: string
}

/** `madeBy`: the id of the credential that makes it, or `BY_OPERATOR`. */
export type MakeCredential = (madeBy: string, wishes: CredentialWishes) => NewCredential

/** Makes a credential with a random id and secret; it is not stored yet. */
export function credentialMaker(sealer: Sealer, environment: Environment, now: () => Date): MakeCredential {
  return (madeBy, { scopes = DEFAULT_SCOPES, label = null, expiresAt = null }) => {
    const keyId = keyIdFrom(environment, randomBytes(12))
    const secret = randomBytes(32)
    const sealedSecret = sealer.seal(secret, secretContext(keyId))
    const times = { createdAt: now(), revokedAt: null, expiresAt }
    return {
      credential: { keyId, sealedSecret, status: 'active', scopes, label, madeBy, ...times },
      keySecret: secret.toString('base64url'),
    }
  }
}

/**
 * Stores one more credential, which ends no later than its maker. Throws `merchant_not_found`, `too_many_credentials`,
 * `rate_limited`, `token_invalid` or `ValidationFailed`.
 */
export type AddCredential = (merchantId: string, made: Credential, begin: Begin) => Promise<Credential>

/** More callers than this change one merchant's credentials at once only in an attack. */
const MAX_TRIES = 20

export function makeAddCredential(merchants: Merchants, now: () => Date): AddCredential {
  return async (merchantId, made, begin) => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const merchant = await merchants.find(merchantId)
      if (!merchant) throw new Refused('merchant_not_found', 'There is no such merchant')
      const credential = endingWithMaker(merchant.credentials, made, now())
      refuseTooMany(merchant.credentials, made.madeBy, now())
      const old = endedLongAgo(merchant.credentials, now()).map(({ keyId }) => keyId)
      if (tries === 0) await begin()
      if (old.length > 0) await merchants.removeCredentials(merchant, old)
      else if (await merchants.addCredential(merchant, credential)) return credential
    }
    throw new Unavailable('credentials_busy', 'The credentials of this merchant are being changed; try again')
  }
}
