import { randomBytes } from 'node:crypto'
import { DEFAULT_SCOPES, Refused, Unavailable, type Scope } from '@gateway/contracts'
import type { Audited, Begin, Sealer } from '@gateway/service-kit'
import { endedLongAgo, refuseTooMany } from '../domain/credential-limits.ts'
import { endingWithMaker, toRevoke, type Revoker } from '../domain/lineage.ts'
import { keyIdFrom, secretContext, type Credential, type Environment } from '../domain/merchant.ts'
import type { Merchants } from '../persistence/merchants.ts'

/** What the caller may choose about a new credential. */
export interface CredentialWishes {
  /** `DEFAULT_SCOPES` when left out. */
  readonly scopes?: readonly Scope[] | undefined
  readonly label?: string | undefined
  readonly expires_at?: Date | undefined
}

/** Contains the secret in clear: it is returned once and cannot be read again. */
export interface NewCredential {
  readonly credential: Credential
  readonly keySecret: string
}

/** More callers than this change one merchant's credentials at once only in an attack. */
const MAX_TRIES = 20

export type ChangeCredentials = ReturnType<typeof makeChangeCredentials>

/** Makes and revokes credentials, for their merchants and for operators. `who` is `merchant` or the name of an operator. */
export function makeChangeCredentials(dependencies: {
  readonly merchants: Merchants
  readonly sealer: Sealer
  readonly environment: Environment
  readonly audited: Audited
  readonly now: () => Date
}) {
  const { merchants, sealer, environment, audited, now } = dependencies

  function make(made_by: string, wishes: CredentialWishes): NewCredential {
    const { scopes = DEFAULT_SCOPES, label = null, expires_at = null } = wishes
    const key_id = keyIdFrom(environment, randomBytes(12))
    const secret = randomBytes(32)
    const sealed_secret = sealer.seal(secret, secretContext(key_id))
    const times = { created_at: now(), revoked_at: null, expires_at }
    return {
      credential: { key_id, sealed_secret, status: 'active', scopes, label, made_by, ...times },
      keySecret: secret.toString('base64url'),
    }
  }

  async function store(merchantId: string, made: Credential, begin: Begin): Promise<Credential> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const merchant = await merchants.find(merchantId)
      if (!merchant) throw new Refused('merchant_not_found', 'There is no such merchant')
      const credential = endingWithMaker(merchant.credentials, made, now())
      refuseTooMany(merchant.credentials, made.made_by, now())
      const old = endedLongAgo(merchant.credentials, now()).map(({ key_id }) => key_id)
      if (tries === 0) await begin()
      if (old.length > 0) await merchants.removeCredentials(merchant, old)
      else if (await merchants.addCredential(merchant, credential)) return credential
    }
    throw new Unavailable('credentials_busy', 'The credentials of this merchant are being changed; try again')
  }

  return {
    /** A credential with a random id and secret, which is not stored. `made_by`: the id of its maker, or `BY_OPERATOR`. */
    make,
    /**
     * Makes and stores one more credential, which ends no later than its maker. Throws `merchant_not_found`,
     * `too_many_credentials`, `rate_limited`, `token_invalid` or `ValidationFailed`.
     */
    async add(who: string, merchantId: string, made_by: string, wishes: CredentialWishes): Promise<NewCredential> {
      const { credential, keySecret } = make(made_by, wishes)
      const action = { who, action: 'credential.create', merchantId, target: credential.key_id }
      return { credential: await audited(action, (begin) => store(merchantId, credential, begin)), keySecret }
    },
    /**
     * Revokes a credential and all that it made. Revoking it again changes nothing. Throws `credential_not_found`,
     * `credential_in_use`, `credential_protected` or `scope_missing`.
     *
     * @param revoker the credential that asks; an operator has none
     */
    revoke: (who: string, merchantId: string, keyId: string, revoker?: Revoker): Promise<void> =>
      audited({ who, action: 'credential.revoke', merchantId, target: keyId }, async (begin) => {
        const activeOf = async () => toRevoke((await merchants.find(merchantId))?.credentials ?? [], keyId, revoker)
        let active = await activeOf()
        if (active.length > 0) await begin()
        // Makers are revoked first and can then make no more, so the next pass finds what they made during this one.
        while (active.length > 0) {
          for (const credential of active) await merchants.revokeCredential(merchantId, credential.key_id, now())
          active = await activeOf()
        }
      }),
  }
}
