import type { Begin } from '@gateway/service-kit'
import { toRevoke, type Revoker } from '../domain/revocation.ts'
import type { Merchants } from '../persistence/merchants.ts'

interface Revocation {
  readonly merchantId: string
  readonly keyId: string
  /** The credential that asks; an operator has none. */
  readonly revoker?: Revoker
}

/**
 * Revokes a credential and all that it made. Revoking it again changes nothing. Throws `credential_not_found`,
 * `credential_in_use`, `credential_protected` or `scope_missing`.
 */
export type RevokeCredential = (revocation: Revocation, begin: Begin) => Promise<void>

export function makeRevokeCredential(merchants: Pick<Merchants, 'find' | 'revokeCredential'>, now: () => Date): RevokeCredential {
  return async ({ merchantId, keyId, revoker }, begin) => {
    const activeOf = async () => toRevoke((await merchants.find(merchantId))?.credentials ?? [], keyId, revoker)
    let active = await activeOf()
    if (active.length > 0) await begin()
    // Makers are revoked first and can then make no more, so the next pass finds what they made during this one.
    while (active.length > 0) {
      for (const credential of active) await merchants.revokeCredential(merchantId, credential.keyId, now())
      active = await activeOf()
    }
  }
}
