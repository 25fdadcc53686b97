import type { LRUCache } from 'lru-cache'
import { boundedCache } from './bounded-cache.ts'
import { refilled, waitMsOf, type Bucket } from './token-bucket.ts'

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
export function createBuckets(perSecond: number, nowMs: () => number, max: number): (key: string) => Slot {
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
