import { Refused, ValidationFailed } from '@gateway/contracts'
import type { Audited } from '@gateway/service-kit'
import type { MerchantIdentity } from '@gateway/service-kit/merchant-auth'
import type { Credential } from '../domain/merchant.ts'
import type { CredentialUses } from '../persistence/credential-uses.ts'
import type { Merchants } from '../persistence/merchants.ts'
import type { AddCredential, CredentialWishes, MakeCredential, NewCredential } from './add-credential.ts'
import { revoke } from './manage-merchants.ts'

export interface UsedCredential extends Credential {
  readonly lastUsedAt: Date | null
}

/** What merchants do with their own credentials (design, section 5). */
export interface ManageCredentials {
  /** Oldest first, those included that ended in the last 30 days. */
  list(caller: MerchantIdentity): Promise<UsedCredential[]>
  /** Throws `scope_missing` when the calling credential lacks a granted scope; `too_many_credentials` or `rate_limited`. */
  add(caller: MerchantIdentity, wishes: CredentialWishes & Pick<Credential, 'scopes'>): Promise<NewCredential>
  /** Throws `credential_not_found`, or `credential_in_use` for the calling credential itself. */
  revoke(caller: MerchantIdentity, keyId: string): Promise<void>
}

interface Dependencies {
  readonly merchants: Merchants
  readonly uses: CredentialUses
  readonly makeCredential: MakeCredential
  readonly addCredential: AddCredential
  readonly audited: Audited
  readonly now: () => Date
}

const who = 'merchant'

export function makeManageCredentials(dependencies: Dependencies): ManageCredentials {
  const { merchants, uses, makeCredential, addCredential, audited, now } = dependencies
  return {
    async list({ merchantId }) {
      const credentials = (await merchants.find(merchantId))?.credentials ?? []
      const lastUses = await uses.lastUses(credentials.map(({ keyId }) => keyId))
      return credentials.map((credential) => ({ ...credential, lastUsedAt: lastUses.get(credential.keyId) ?? null }))
    },

    async add({ merchantId, scopes: own }, wishes) {
      const lacking = wishes.scopes.find((scope) => !own.includes(scope))
      if (lacking !== undefined) {
        throw new Refused('scope_missing', `A credential without the scope "${lacking}" cannot grant it`)
      }
      if (wishes.expiresAt && wishes.expiresAt <= now()) {
        throw new ValidationFailed([{ field: '/expires_at', message: 'must be in the future' }])
      }
      const made = makeCredential('merchant', wishes)
      const { keyId } = made.credential
      await audited({ who, action: 'credential.create', merchantId, target: keyId }, () =>
        addCredential(merchantId, made.credential),
      )
      return made
    },

    async revoke({ merchantId, credentialId }, keyId) {
      if (keyId === credentialId) {
        throw new Refused('credential_in_use', 'A credential cannot revoke itself; use another one')
      }
      await audited({ who, action: 'credential.revoke', merchantId, target: keyId }, () =>
        revoke(merchants, { merchantId, keyId, at: now() }),
      )
    },
  }
}
