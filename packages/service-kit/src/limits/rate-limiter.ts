import { LRUCache } from 'lru-cache'
import { Unavailable } from '@gateway/contracts'

export interface RateLimiter {
  /** Takes one token of the key's bucket. Throws `rate_limited` with the seconds to wait. */
  (key: string): void
  /** Throws `rate_limited` when the bucket has fewer `tokens`, by default one; takes nothing. */
  readonly check: (key: string, tokens?: number) => void
  /** Takes one token, even from an empty bucket: the call was already served. */
  readonly charge: (key: string) => void
  /** Puts one token back. */
  readonly refund: (key: string) => void
}

const MAX_BUCKETS = 50_000

const UNLIMITED: RateLimiter = Object.assign(() => undefined, {
  check: () => undefined,
  charge: () => undefined,
  refund: () => undefined,
})

/** One bucket per key; `perSecond` 0 means no limit. */
export function createRateLimiter(perSecond: number, nowMs: () => number, maxBuckets = MAX_BUCKETS): RateLimiter {
  if (perSecond === 0) return UNLIMITED
  const slotOf = createBuckets(perSecond, nowMs, maxBuckets)

  function take(key: string): void {
    const { buckets, name } = slotOf(key)
    const { bucket, waitMs } = takeToken(buckets.get(name), perSecond, nowMs())
    buckets.set(name, bucket)
    refuseIf(waitMs)
  }

  function change(key: string, changed: typeof chargeToken): void {
    const { buckets, name } = slotOf(key)
    buckets.set(name, changed(buckets.get(name), perSecond, nowMs()))
  }

  function check(key: string, tokens = 1): void {
    const { buckets, name } = slotOf(key)
    refuseIf(waitMsOf(refilled(buckets.get(name), perSecond, nowMs()), perSecond, tokens))
  }

  return Object.assign(take, {
    check,
    charge: (key: string) => change(key, chargeToken),
    refund: (key: string) => change(key, returnToken),
  })
}

function refuseIf(waitMs: number): void {
  if (waitMs === 0) return
  throw new Unavailable('rate_limited', 'Too many requests; slow down', { retryAfterSeconds: Math.ceil(waitMs / 1000) })
}

/** A token bucket. It starts full and holds the tokens of one second. Whole numbers, so that rounding loses nothing. */
export interface Bucket {
  /** Thousandths of a token; below zero when tokens were charged that the bucket did not hold. */
  readonly milliTokens: number
  readonly atMs: number
}

export interface Taken {
  readonly bucket: Bucket
  /** 0 when a token was taken; otherwise milliseconds until the next token is available. */
  readonly waitMs: number
}

const ONE_TOKEN = 1000

/** A caller that was charged for a burst pays it back in at most this time. */
const MAX_DEBT_SECONDS = 10

/** Takes one token. `perSecond` is a whole number of at least 1. A clock that runs backwards adds no tokens. */
export function takeToken(bucket: Bucket | undefined, perSecond: number, nowMs: number): Taken {
  const now = refilled(bucket, perSecond, nowMs)
  const waitMs = waitMsOf(now, perSecond)
  return { bucket: waitMs === 0 ? { ...now, milliTokens: now.milliTokens - ONE_TOKEN } : now, waitMs }
}

/** Milliseconds until the bucket has so many tokens; 0 when it has them. */
function waitMsOf({ milliTokens }: Bucket, perSecond: number, tokens = 1): number {
  const missing = tokens * ONE_TOKEN - milliTokens
  return missing <= 0 ? 0 : Math.ceil(missing / perSecond)
}

/** Takes one token even when there is none: what was done already has to be paid for. */
function chargeToken(bucket: Bucket | undefined, perSecond: number, nowMs: number): Bucket {
  const { milliTokens, atMs } = refilled(bucket, perSecond, nowMs)
  return { milliTokens: Math.max(milliTokens - ONE_TOKEN, -MAX_DEBT_SECONDS * perSecond * ONE_TOKEN), atMs }
}

/** Puts a token back that was taken for nothing. */
function returnToken(bucket: Bucket | undefined, perSecond: number, nowMs: number): Bucket {
  const { milliTokens, atMs } = refilled(bucket, perSecond, nowMs)
  return { milliTokens: Math.min(milliTokens + ONE_TOKEN, perSecond * ONE_TOKEN), atMs }
}

/** The bucket with the tokens that were added since it was last used. */
function refilled(bucket: Bucket | undefined, perSecond: number, nowMs: number): Bucket {
  const full = perSecond * ONE_TOKEN
  const before = bucket ?? { milliTokens: full, atMs: Math.floor(nowMs) }
  const atMs = Math.max(before.atMs, Math.floor(nowMs))
  // `perSecond` tokens a second are `perSecond` thousandths of a token a millisecond.
  return { milliTokens: Math.min(full, before.milliTokens + (atMs - before.atMs) * perSecond), atMs }
}

type Buckets = LRUCache<string, Bucket>

/** The cache that holds a key's bucket, and the bucket's name there. */
export interface Slot {
  readonly buckets: Buckets
  readonly name: string
}

/**
 * Finds the bucket of a key. At most `max` are stored, and only a full one is dropped for a new key, so a flood of other keys refills
 * no bucket. While none is full, a new key shares the bucket of its network, or one with all other keys.
 */
function createBuckets(perSecond: number, nowMs: () => number, max: number): (key: string) => Slot {
  const [own, networks, rest] = [boundedCache<Bucket>(max), boundedCache<Bucket>(max), boundedCache<Bucket>(1)]

  /** A full cache drops the bucket that was idle longest. True when that one has all its tokens again, so nothing is lost. */
  function hasRoom(buckets: Buckets, name: string): boolean {
    if (buckets.size < max || buckets.has(name)) return true
    const [idleLongest = ''] = buckets.rkeys()
    return waitMsOf(refilled(buckets.peek(idleLongest), perSecond, nowMs()), perSecond, perSecond) === 0
  }

  return (key) => {
    if (hasRoom(own, key)) return { buckets: own, name: key }
    const network = networkOf(key)
    return hasRoom(networks, network) ? { buckets: networks, name: network } : { buckets: rest, name: 'rest' }
  }
}

/** The network of a key that begins with an address, as `addressKey` writes it: 24 bits of IPv4, 48 of IPv6. */
function networkOf(key: string): string {
  const [address = ''] = key.split(' ', 1)
  const bytes = address.split('.')
  return bytes.slice(0, bytes.length === 8 ? 6 : 3).join('.')
}

/**
 * A cache that drops the entry that was not used for longest above `maxEntries`. Given as a size, the bound allocates nothing in
 * advance: given as `max`, the gateway's caches take 12 MiB before the first request.
 */
export function boundedCache<Value extends object | true>(maxEntries: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 })
}
