import type { Revocations } from '@gateway/contracts'
import type { Merchants } from '../persistence/merchants.ts'

export type ListRevocations = (since: Date | undefined) => Promise<Revocations>

/** Longer than any token lives: tokens of credentials revoked before are in no cache. */
const HORIZON_MS = 60 * 60_000

/**
 * Each answer repeats the revocations of the last two minutes: a write takes up to 90 s to become visible to every reader (a
 * failover, a paused server), and the clocks of two replicas may differ by 30 s.
 */
const OVERLAP_MS = 120_000

/** The credentials revoked since `since`; without it, or when it is older, since one hour ago. */
export function makeListRevocations(merchants: Pick<Merchants, 'revokedSince'>, now: () => Date): ListRevocations {
  return async (since) => {
    const asOf = now()
    const horizonMs = asOf.getTime() - HORIZON_MS
    const from = since === undefined ? horizonMs : Math.max(since.getTime() - OVERLAP_MS, horizonMs)
    return { as_of: asOf.toISOString(), credential_ids: await merchants.revokedSince(new Date(from)) }
  }
}
