import { Unavailable } from '@gateway/contracts'
import { createBuckets } from './buckets.ts'
import { chargeToken, refilled, returnToken, takeToken, waitMsOf } from './token-bucket.ts'

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
