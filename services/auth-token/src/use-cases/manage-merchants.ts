import { randomBytes } from 'node:crypto'
import { Refused } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import {
  keyIdFrom,
  MAX_LIVE_CREDENTIALS,
  secretContext,
  type Credential,
  type Environment,
  type Merchant,
  type MerchantDetails,
} from '../domain/merchant.ts'
import type { Merchants } from '../persistence/merchants.ts'
import type { Audited } from './audited.ts'

/** Contains the secret in clear: it is returned once and cannot be read again. */
export interface NewCredential {
  readonly keyId: string
  readonly keySecret: string
}

export interface ManageMerchants {
  /** Creates a merchant with its first credential. */
  create(details: MerchantDetails): Promise<NewCredential & { readonly merchantId: string }>
  /** At most `limit` merchants in the order of their ids, starting after `afterId`. */
  list(limit: number, afterId: string | undefined): Promise<Merchant[]>
  /** Throws `merchant_not_found` or `too_many_credentials`. */
  addCredential(merchantId: string): Promise<NewCredential>
  /** Revoking a revoked credential changes nothing. Throws `credential_not_found`. */
  revokeCredential(merchantId: string, keyId: string): Promise<void>
}

interface Dependencies {
  readonly merchants: Merchants
  readonly sealer: Sealer
  readonly audited: Audited
  readonly environment: Environment
  readonly now: () => Date
  readonly newMerchantId: () => string
}

export function makeManageMerchants(dependencies: Dependencies): ManageMerchants {
  const { merchants, sealer, audited, environment, now, newMerchantId } = dependencies

  function newCredential(): { credential: Credential; shown: NewCredential } {
    const keyId = keyIdFrom(environment, randomBytes(12))
    const secret = randomBytes(32)
    const sealedSecret = sealer.seal(secret, secretContext(keyId))
    return {
      credential: { keyId, sealedSecret, status: 'active', createdAt: now(), revokedAt: null },
      shown: { keyId, keySecret: secret.toString('base64url') },
    }
  }

  return {
    async create({ name, vpa, mcc }) {
      const merchantId = newMerchantId()
      const { credential, shown } = newCredential()
      const merchant = { merchantId, name, vpa, mcc, createdAt: now(), credentials: [credential] }
      await audited({ action: 'merchant.create', merchantId, keyId: shown.keyId }, () => merchants.insert(merchant))
      return { merchantId, ...shown }
    },

    list: (limit, afterId) =>
      audited({ action: 'merchant.list', merchantId: null, keyId: null }, () => merchants.page(limit, afterId)),

    async addCredential(merchantId) {
      const { credential, shown } = newCredential()
      await audited({ action: 'credential.create', merchantId, keyId: shown.keyId }, async () => {
        if (await merchants.addCredential(merchantId, credential)) return
        if (!(await merchants.exists(merchantId))) throw new Refused('merchant_not_found', 'There is no such merchant')
        throw new Refused(
          'too_many_credentials',
          `A merchant has at most ${MAX_LIVE_CREDENTIALS} live credentials; revoke one first`,
        )
      })
      return shown
    },

    revokeCredential: (merchantId, keyId) =>
      audited({ action: 'credential.revoke', merchantId, keyId }, async () => {
        if (await merchants.revokeCredential(merchantId, keyId, now())) return
        const found = await merchants.findCredential(keyId)
        if (found?.merchantId !== merchantId) throw new Refused('credential_not_found', 'The merchant has no such credential')
      }),
  }
}
