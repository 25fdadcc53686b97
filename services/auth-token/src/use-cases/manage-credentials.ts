import { Refused, ValidationFailed } from '@gateway/contracts'
import type { Audited } from '@gateway/service-kit'
import type { MerchantIdentity } from '@gateway/service-kit/merchant-auth'
import type { Credential } from '../domain/merchant.ts'
import type { CredentialUses } from '../persistence/credential-uses.ts'
import type { Merchants } from '../persistence/merchants.ts'
import type { AddCredential, CredentialWishes, MakeCredential, NewCredential } from './add-credential.ts'
import type { RevokeCredential } from './revoke-credential.ts'

export interface UsedCredential extends Credential {
  readonly lastUsedAt: Date | null
}

/** What merchants do with their own credentials (design, section 5). */
export interface ManageCredentials {
  /** Oldest first, those included that ended in the last 30 days. */
  list(caller: MerchantIdentity): Promise<UsedCredential[]>
  /** Throws `scope_missing` when the calling credential lacks a granted scope, and what `AddCredential` throws. */
  add(caller: MerchantIdentity, wishes: CredentialWishes & Pick<Credential, 'scopes'>): Promise<NewCredential>
  /** Revokes it and all that it made. Throws what `RevokeCredential` throws. */
  revoke(caller: MerchantIdentity, keyId: string): Promise<void>
}

interface Dependencies {
  readonly merchants: Merchants
  readonly uses: CredentialUses
  readonly makeCredential: MakeCredential
  readonly addCredential: AddCredential
  readonly revokeCredential: RevokeCredential
  readonly audited: Audited
  readonly now: () => Date
}

const who = 'merchant'

export function makeManageCredentials(dependencies: Dependencies): ManageCredentials {
  const { merchants, uses, makeCredential, addCredential, revokeCredential, audited, now } = dependencies
  return {
    async list({ merchantId }) {
      const credentials = (await merchants.find(merchantId))?.credentials ?? []
      const lastUses = await uses.lastUses(credentials.map(({ keyId }) => keyId))
      return credentials.map((credential) => ({ ...credential, lastUsedAt: lastUses.get(credential.keyId) ?? null }))
    },

    async add({ merchantId, credentialId, scopes: own }, wishes) {
      const lacking = wishes.scopes.find((scope) => !own.includes(scope))
      if (lacking !== undefined) {
        throw new Refused('scope_missing', `A credential without the scope "${lacking}" cannot grant it`)
      }
      if (wishes.expiresAt && wishes.expiresAt <= now()) {
        throw new ValidationFailed([{ field: '/expires_at', message: 'must be in the future' }])
      }
      const { credential, keySecret } = makeCredential(credentialId, wishes)
      const created = { who, action: 'credential.create', merchantId, target: credential.keyId }
      return { credential: await audited(created, (begin) => addCredential(merchantId, credential, begin)), keySecret }
    },

    revoke: ({ merchantId, ...revoker }, keyId) =>
      audited({ who, action: 'credential.revoke', merchantId, target: keyId }, (begin) =>
        revokeCredential({ merchantId, keyId, revoker }, begin),
      ),
  }
}
