import { LRUCache } from 'lru-cache'

/**
 * A cache that drops the entry that was not used for longest above `maxEntries`. Given as a size, the bound allocates nothing in
 * advance: given as `max`, the gateway's caches take 12 MiB before the first request.
 */
export function boundedCache<Value extends object | true>(maxEntries: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 })
}
