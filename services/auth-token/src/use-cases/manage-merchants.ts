import { Refused } from '@gateway/contracts'
import type { Audited } from '@gateway/service-kit'
import type { Merchant, MerchantDetails } from '../domain/merchant.ts'
import type { Merchants } from '../persistence/merchants.ts'
import type { AddCredential, CredentialWishes, MakeCredential, NewCredential } from './add-credential.ts'

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
  /** Revoking a revoked credential changes nothing. Throws `credential_not_found`. */
  revokeCredential(operator: string, merchantId: string, keyId: string): Promise<void>
}

interface Dependencies {
  readonly merchants: Merchants
  readonly makeCredential: MakeCredential
  readonly addCredential: AddCredential
  readonly audited: Audited
  readonly now: () => Date
  readonly newMerchantId: () => string
}

export function makeManageMerchants(dependencies: Dependencies): ManageMerchants {
  const { merchants, makeCredential, addCredential, audited, now, newMerchantId } = dependencies
  return {
    async create(who, { name, vpa, mcc }, wishes) {
      const merchantId = newMerchantId()
      const made = makeCredential('operator', wishes)
      const merchant = { merchantId, name, vpa, mcc, createdAt: now(), credentials: [made.credential] }
      const { keyId } = made.credential
      await audited({ who, action: 'merchant.create', merchantId, target: keyId }, () => merchants.insert(merchant))
      return { merchantId, ...made }
    },

    list: (who, limit, afterId) =>
      audited({ who, action: 'merchant.list', merchantId: null, target: null }, () => merchants.page(limit, afterId)),

    async addCredential(who, merchantId, wishes) {
      const made = makeCredential('operator', wishes)
      const { keyId } = made.credential
      await audited({ who, action: 'credential.create', merchantId, target: keyId }, () =>
        addCredential(merchantId, made.credential),
      )
      return made
    },

    revokeCredential: (who, merchantId, keyId) =>
      audited({ who, action: 'credential.revoke', merchantId, target: keyId }, () =>
        revoke(merchants, { merchantId, keyId, at: now() }),
      ),
  }
}

/** Revokes a credential of this merchant. Throws `credential_not_found`. */
export async function revoke(
  merchants: Pick<Merchants, 'revokeCredential' | 'findCredential'>,
  { merchantId, keyId, at }: { readonly merchantId: string; readonly keyId: string; readonly at: Date },
): Promise<void> {
  if (await merchants.revokeCredential(merchantId, keyId, at)) return
  const found = await merchants.findCredential(keyId)
  if (found?.merchantId !== merchantId) throw new Refused('credential_not_found', 'The merchant has no such credential')
}
