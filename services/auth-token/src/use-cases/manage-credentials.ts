import { Refused, ValidationFailed } from '@gateway/contracts'
import type { MerchantIdentity } from '@gateway/service-kit/merchant-auth'
import type { Credential } from '../domain/merchant.ts'
import type { CredentialUses, Merchants } from '../persistence/merchants.ts'
import type { ChangeCredentials, CredentialWishes, NewCredential } from './change-credentials.ts'

export interface UsedCredential extends Credential {
  readonly last_used_at: Date | null
}

export type ManageCredentials = ReturnType<typeof makeManageCredentials>

/** What merchants do with their own credentials (design, section 5). */
export function makeManageCredentials(dependencies: {
  readonly merchants: Merchants
  readonly uses: CredentialUses
  readonly change: ChangeCredentials
  readonly now: () => Date
}) {
  const { merchants, uses, change, now } = dependencies
  return {
    /** Oldest first, those included that ended in the last 30 days. */
    async list({ merchantId }: MerchantIdentity): Promise<UsedCredential[]> {
      const credentials = (await merchants.find(merchantId))?.credentials ?? []
      const lastUses = await uses.lastUses(credentials.map(({ key_id }) => key_id))
      return credentials.map((credential) => ({ ...credential, last_used_at: lastUses.get(credential.key_id) ?? null }))
    },

    /** Throws `scope_missing` when the calling credential lacks a granted scope, and what `ChangeCredentials` throws. */
    async add(caller: MerchantIdentity, wishes: CredentialWishes & Pick<Credential, 'scopes'>): Promise<NewCredential> {
      const lacking = wishes.scopes.find((scope) => !caller.scopes.includes(scope))
      if (lacking !== undefined) {
        throw new Refused('scope_missing', `A credential without the scope "${lacking}" cannot grant it`)
      }
      if (wishes.expires_at && wishes.expires_at <= now()) {
        throw new ValidationFailed([{ field: '/expires_at', message: 'must be in the future' }])
      }
      return change.add('merchant', caller.merchantId, caller.credentialId, wishes)
    },

    /** Revokes it and all that it made. Throws what `ChangeCredentials` throws. */
    revoke: ({ merchantId, ...revoker }: MerchantIdentity, keyId: string) =>
      change.revoke('merchant', merchantId, keyId, revoker),
  }
}
