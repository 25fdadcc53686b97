import type { Revocations } from '@gateway/contracts'
import type { Merchants } from '../persistence/merchants.ts'

export type ListRevocations = (since: Date | undefined) => Promise<Revocations>

/** Longer than any token lives: whatever was revoked before cannot be in a cache any more. */
const HORIZON_MS = 60 * 60_000

/** Told again, so that clocks of replicas may differ and a revocation may still be on its way to the disk. */
const OVERLAP_MS = 10_000

/** Credentials revoked since the caller asked last; in the last hour, if it never did. */
export function makeListRevocations(merchants: Pick<Merchants, 'revokedSince'>, now: () => Date): ListRevocations {
  return async (since) => {
    const asOf = now()
    const horizonMs = asOf.getTime() - HORIZON_MS
    const from = since === undefined ? horizonMs : Math.max(since.getTime() - OVERLAP_MS, horizonMs)
    return { as_of: asOf.toISOString(), credential_ids: await merchants.revokedSince(new Date(from)) }
  }
}
