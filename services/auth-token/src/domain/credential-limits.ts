import { Refused, Unavailable } from '@gateway/contracts'
import type { Credential } from './merchant.ts'

/** Operators make at most two live credentials of a merchant, so that one can be replaced without a gap (design, section 5). */
const MAX_LIVE_BY_OPERATORS = 2
/** With those that the merchant makes itself. */
const MAX_LIVE = 10
/** Bounds the merchant's document, which keeps credentials for a while after their end. */
const MAX_NEW_PER_DAY = 50
const DAY_MS = 86_400_000
const KEEP_ENDED_MS = 30 * DAY_MS

/** True while tokens of the credential are accepted. */
export function isLive({ status, expiresAt }: Credential, now: Date): boolean {
  return status === 'active' && (expiresAt === null || expiresAt > now)
}

/** Throws `too_many_credentials` or `rate_limited` when the merchant may not have one more credential. */
export function refuseTooMany(existing: readonly Credential[], madeBy: Credential['madeBy'], now: Date): void {
  const live = existing.filter((credential) => isLive(credential, now))
  const ofOperators = live.filter((credential) => credential.madeBy === 'operator')
  if (madeBy === 'operator' && ofOperators.length >= MAX_LIVE_BY_OPERATORS) {
    throw new Refused(
      'too_many_credentials',
      `Operators make at most ${MAX_LIVE_BY_OPERATORS} live credentials of a merchant; revoke one first`,
    )
  }
  if (live.length >= MAX_LIVE) {
    throw new Refused('too_many_credentials', `A merchant has at most ${MAX_LIVE} live credentials; revoke one first`)
  }
  const dayAgo = now.getTime() - DAY_MS
  const ofToday = existing.map(({ createdAt }) => createdAt.getTime()).filter((createdMs) => createdMs > dayAgo)
  if (ofToday.length >= MAX_NEW_PER_DAY) {
    const retryAfterSeconds = Math.ceil((Math.min(...ofToday) - dayAgo) / 1000)
    throw new Unavailable('rate_limited', `A merchant gets at most ${MAX_NEW_PER_DAY} new credentials a day`, {
      retryAfterSeconds,
    })
  }
}

/** The credentials that ended so long ago that they need not be listed any more. */
export function endedLongAgo(credentials: readonly Credential[], now: Date): Credential[] {
  return credentials.filter(({ revokedAt, expiresAt }) => {
    const endedMs = Math.min(revokedAt?.getTime() ?? Infinity, expiresAt?.getTime() ?? Infinity)
    return endedMs < now.getTime() - KEEP_ENDED_MS
  })
}
