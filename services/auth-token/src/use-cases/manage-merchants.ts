import type { Audited } from '@gateway/service-kit'
import { BY_OPERATOR, type Merchant, type MerchantDetails } from '../domain/merchant.ts'
import type { Merchants } from '../persistence/merchants.ts'
import type { AddCredential, CredentialWishes, MakeCredential, NewCredential } from './add-credential.ts'
import type { RevokeCredential } from './revoke-credential.ts'

/** What operators do. `operator` is the name of the one who does it. */
export interface ManageMerchants {
  /** Creates a merchant with its first credential. */
  create(
    operator: string,
    details: MerchantDetails,
    wishes: CredentialWishes,
  ): Promise<NewCredential & { readonly merchantId: string }>
  /** At most `limit` merchants in the order of their ids, starting after `afterId`. */
  list(operator: string, limit: number, afterId: string | undefined): Promise<Merchant[]>
  /** Throws `merchant_not_found`, `too_many_credentials` or `rate_limited`. */
  addCredential(operator: string, merchantId: string, wishes: CredentialWishes): Promise<NewCredential>
  /** Revokes it and all that it made. Revoking a revoked credential changes nothing. Throws `credential_not_found`. */
  revokeCredential(operator: string, merchantId: string, keyId: string): Promise<void>
}

interface Dependencies {
  readonly merchants: Merchants
  readonly makeCredential: MakeCredential
  readonly addCredential: AddCredential
  readonly revokeCredential: RevokeCredential
  readonly audited: Audited
  readonly now: () => Date
  readonly newMerchantId: () => string
}

export function makeManageMerchants(dependencies: Dependencies): ManageMerchants {
  const { merchants, makeCredential, addCredential, revokeCredential, audited, now, newMerchantId } = dependencies
  return {
    async create(who, { name, vpa, mcc }, wishes) {
      const merchantId = newMerchantId()
      const made = makeCredential(BY_OPERATOR, wishes)
      const merchant = { merchantId, name, vpa, mcc, createdAt: now(), credentials: [made.credential] }
      const { keyId } = made.credential
      await audited({ who, action: 'merchant.create', merchantId, target: keyId }, async (begin) => {
        await begin()
        await merchants.insert(merchant)
      })
      return { merchantId, ...made }
    },

    list: (who, limit, afterId) =>
      audited({ who, action: 'merchant.list', merchantId: null, target: null }, async (begin) => {
        await begin()
        return merchants.page(limit, afterId)
      }),

    async addCredential(who, merchantId, wishes) {
      const { credential, keySecret } = makeCredential(BY_OPERATOR, wishes)
      const created = { who, action: 'credential.create', merchantId, target: credential.keyId }
      return { credential: await audited(created, (begin) => addCredential(merchantId, credential, begin)), keySecret }
    },

    revokeCredential: (who, merchantId, keyId) =>
      audited({ who, action: 'credential.revoke', merchantId, target: keyId }, (begin) =>
        revokeCredential({ merchantId, keyId }, begin),
      ),
  }
}
