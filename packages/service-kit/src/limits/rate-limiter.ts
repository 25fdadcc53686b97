import { Unavailable } from '@gateway/contracts'
import { chargeToken, refilled, returnToken, takeToken, waitMsOf, type Bucket } from './token-bucket.ts'
import { boundedCache } from './bounded-cache.ts'

export interface RateLimiter {
  /** Takes one token of the key's bucket. Throws `rate_limited` with the seconds to wait. */
  (key: string): void
  /** Throws `rate_limited` when the bucket is empty; takes nothing. */
  readonly check: (key: string) => void
  /** Takes one token, even from an empty bucket: the call was already served. */
  readonly charge: (key: string) => void
  /** Puts one token back. */
  readonly refund: (key: string) => void
}

/** Above this number the bucket that was idle longest is dropped, so memory stays bounded. A dropped bucket is full again. */
const MAX_BUCKETS = 50_000

const UNLIMITED: RateLimiter = Object.assign(() => undefined, {
  check: () => undefined,
  charge: () => undefined,
  refund: () => undefined,
})

/** One bucket per key; `perSecond` 0 means no limit. */
export function createRateLimiter(perSecond: number, nowMs: () => number, maxBuckets = MAX_BUCKETS): RateLimiter {
  if (perSecond === 0) return UNLIMITED
  const buckets = boundedCache<Bucket>(maxBuckets)

  function take(key: string): void {
    const { bucket, waitMs } = takeToken(buckets.get(key), perSecond, nowMs())
    buckets.set(key, bucket)
    refuseIf(waitMs)
  }
  return Object.assign(take, {
    check: (key: string) => refuseIf(waitMsOf(refilled(buckets.get(key), perSecond, nowMs()), perSecond)),
    charge: (key: string) => void buckets.set(key, chargeToken(buckets.get(key), perSecond, nowMs())),
    refund: (key: string) => void buckets.set(key, returnToken(buckets.get(key), perSecond, nowMs())),
  })
}

function refuseIf(waitMs: number): void {
  if (waitMs === 0) return
  throw new Unavailable('rate_limited', 'Too many requests; slow down', { retryAfterSeconds: Math.ceil(waitMs / 1000) })
}
