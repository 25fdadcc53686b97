import type { Audited } from '@gateway/service-kit'
import { BY_OPERATOR, type Merchant, type MerchantDetails } from '../domain/merchant.ts'
import type { Merchants } from '../persistence/merchants.ts'
import type { ChangeCredentials, CredentialWishes, NewCredential } from './change-credentials.ts'

export type ManageMerchants = ReturnType<typeof makeManageMerchants>

/** What operators do. `who` is the name of the operator. */
export function makeManageMerchants(dependencies: {
  readonly merchants: Merchants
  readonly change: ChangeCredentials
  readonly audited: Audited
  readonly now: () => Date
  readonly newMerchantId: () => string
}) {
  const { merchants, change, audited, now, newMerchantId } = dependencies
  return {
    /** Creates a merchant with its first credential. */
    async create(
      who: string,
      { name, vpa, mcc }: MerchantDetails,
      wishes: CredentialWishes,
    ): Promise<NewCredential & { readonly merchantId: string }> {
      const merchantId = newMerchantId()
      const made = change.make(BY_OPERATOR, wishes)
      const { credential } = made
      const merchant = { _id: merchantId, name, vpa, mcc, created_at: now(), version: 1, credentials: [credential] }
      await audited({ who, action: 'merchant.create', merchantId, target: credential.key_id }, async (begin) => {
        await begin()
        await merchants.insert(merchant)
      })
      return { merchantId, ...made }
    },

    /** At most `limit` merchants in the order of their ids, starting after `afterId`. */
    list: (who: string, limit: number, afterId: string | undefined): Promise<Merchant[]> =>
      audited({ who, action: 'merchant.list', merchantId: null, target: null }, async (begin) => {
        await begin()
        return merchants.page(limit, afterId)
      }),
  }
}
