import { LRUCache } from 'lru-cache'
import { Unavailable } from '@gateway/contracts'
import { takeToken, type Bucket } from '../domain/token-bucket.ts'

/** Takes one token of the key's bucket. Throws `rate_limited` with the seconds to wait. */
export type RateLimiter = (key: string) => void

/** Above this number the bucket that was idle longest is dropped, so memory stays bounded. A dropped bucket is full again. */
const MAX_BUCKETS = 50_000

/** One bucket per key; `perSecond` 0 means no limit. */
export function createRateLimiter(perSecond: number, nowMs: () => number, maxBuckets = MAX_BUCKETS): RateLimiter {
  if (perSecond === 0) return () => undefined
  const buckets = new LRUCache<string, Bucket>({ max: maxBuckets })
  return (key) => {
    const { bucket, waitMs } = takeToken(buckets.get(key), perSecond, nowMs())
    buckets.set(key, bucket)
    if (waitMs === 0) return
    throw new Unavailable('rate_limited', 'Too many requests; slow down', { retryAfterSeconds: Math.ceil(waitMs / 1000) })
  }
}
