import { Refused, Unavailable } from '@gateway/contracts'
import { descendantsOf, lineOf } from './lineage.ts'
import { BY_OPERATOR, isLive, type Credential } from './merchant.ts'

interface Limits {
  readonly live: number
  readonly newPerDay: number
}

/** Operators have limits of their own, so that no thief can stop them. Two live ones: one can be replaced without a gap. */
const OF_OPERATORS: Limits = { live: 2, newPerDay: 50 }
/** For all credentials that one made, directly or through others, when an operator made that one. */
const OF_FIRST: Limits = { live: 10, newPerDay: 50 }
/** The same when the merchant made that one. Lower, so that a thief of it leaves room for the merchant. */
const OF_OTHERS: Limits = { live: 5, newPerDay: 25 }
/** For a merchant, with the credentials that operators made. Operators themselves may exceed it. */
const MAX_LIVE = 10

const DAY_MS = 86_400_000
const KEEP_ENDED_MS = 30 * DAY_MS
/** Bounds the merchant's document. All that ended in the last day are kept too: the limits and the revocation list need them. */
const MAX_KEPT_ENDED = 50

/** Throws `too_many_credentials` or `rate_limited` when `maker`, a credential's id or `operator`, may not make one more. */
export function refuseTooMany(existing: readonly Credential[], maker: string, now: Date): void {
  if (maker === BY_OPERATOR) {
    refuseAbove(
      existing.filter(({ made_by }) => made_by === BY_OPERATOR),
      OF_OPERATORS,
      now,
    )
    return
  }
  if (liveOf(existing, now).length >= MAX_LIVE) throw tooMany(MAX_LIVE)
  for (const { key_id, made_by } of lineOf(existing, maker)) {
    refuseAbove(descendantsOf(existing, key_id), made_by === BY_OPERATOR ? OF_FIRST : OF_OTHERS, now)
  }
}

function refuseAbove(made: readonly Credential[], { live, newPerDay }: Limits, now: Date): void {
  if (liveOf(made, now).length >= live) throw tooMany(live)
  const dayAgo = now.getTime() - DAY_MS
  const ofToday = made.map(({ created_at }) => created_at.getTime()).filter((createdMs) => createdMs > dayAgo)
  if (ofToday.length < newPerDay) return
  const retryAfterSeconds = Math.ceil((Math.min(...ofToday) - dayAgo) / 1000)
  throw new Unavailable('rate_limited', `At most ${newPerDay} credentials are made in a day`, { retryAfterSeconds })
}

function liveOf(credentials: readonly Credential[], now: Date): Credential[] {
  return credentials.filter((credential) => isLive(credential, now))
}

function tooMany(limit: number): Refused {
  return new Refused('too_many_credentials', `At most ${limit} such credentials are live; revoke one first`)
}

/** The credentials that are not listed any more: they ended long ago, or many others ended after them. */
export function endedLongAgo(credentials: readonly Credential[], now: Date): Credential[] {
  return credentials
    .map((credential) => ({ credential, endedMs: endOf(credential) }))
    .filter(({ endedMs }) => endedMs <= now.getTime())
    .toSorted((a, b) => b.endedMs - a.endedMs)
    .filter(({ endedMs }, index) => {
      const age = now.getTime() - endedMs
      return age > KEEP_ENDED_MS || (index >= MAX_KEPT_ENDED && age > DAY_MS)
    })
    .map(({ credential }) => credential)
}

function endOf({ revoked_at, expires_at }: Credential): number {
  return Math.min(revoked_at?.getTime() ?? Infinity, expires_at?.getTime() ?? Infinity)
}
