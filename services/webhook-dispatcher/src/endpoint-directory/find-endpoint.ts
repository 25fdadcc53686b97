import { LRUCache } from 'lru-cache'
import type { SigningKey } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import type { Endpoint } from '../domain/endpoint.ts'
import { createRecentMerchants } from './recent-merchants.ts'
import { makeSigningKeysOf } from './signing-keys.ts'

/** An endpoint with the keys that sign its webhooks. */
export interface KnownEndpoint {
  readonly endpoint: Endpoint
  /** The current key first, then those of a rotation that still overlaps. Empty when the current secret cannot be opened. */
  signingKeys(now: Date): SigningKey[]
}

export type FindEndpoint = (merchantId: string) => Promise<KnownEndpoint | undefined>

/** How old a cached endpoint may be. Half of what a registration waits before it takes effect (design, section 5). */
export const ENDPOINT_CACHE_MS = 250

/** A cached endpoint of this age is refreshed in the background when it is asked for. */
const REFRESH_AFTER_MS = 150

/** A merchant asked for within this time will likely be asked for again: each query reloads its endpoint too. */
const RECENT_MS = 2000

const MAX_CACHED = 10_000
const MAX_PER_QUERY = 500

type Endpoints = ReadonlyMap<string, KnownEndpoint>

/** One query and the time it began: its answers are as old as that. */
interface Loaded {
  readonly sinceMs: number
  readonly endpoints: Promise<Endpoints>
}

export interface FindEndpointOptions {
  readonly endpoints: { findMany(merchantIds: readonly string[]): Promise<Endpoint[]> }
  readonly sealer: Sealer
  readonly nowMs?: () => number
}

/**
 * A cache of endpoints with one shared query: every query also reloads all recently used endpoints. A hundred busy merchants so
 * cost a few queries a second, and their webhooks wait for none. Not a `createBatcher`: a miss must not wait for a running query.
 */
export function makeFindEndpoint({ endpoints, sealer, nowMs = () => performance.now() }: FindEndpointOptions): FindEndpoint {
  const cache = new LRUCache<string, Loaded>({ max: MAX_CACHED })
  const recent = createRecentMerchants(RECENT_MS, nowMs)
  const signingKeysOf = makeSigningKeysOf(sealer, MAX_CACHED)
  let nextQuery: { readonly merchantIds: Set<string>; readonly endpoints: Promise<Endpoints> } | undefined
  let refreshing = false

  const isOlder = (loaded: Loaded | undefined, ageMs: number): boolean => !loaded || nowMs() - loaded.sinceMs >= ageMs

  async function read(merchantIds: readonly string[]): Promise<Endpoints> {
    const found = await endpoints.findMany(merchantIds)
    return new Map(
      found.map((endpoint) => [endpoint.merchantId, { endpoint, signingKeys: (now) => signingKeysOf(endpoint, now) }]),
    )
  }

  /** Loads the missed endpoints together with all recently used ones that are due for a refresh. */
  async function query(missed: readonly string[]): Promise<Endpoints> {
    const sinceMs = nowMs()
    const due = recent.latest(MAX_PER_QUERY).filter((merchantId) => isOlder(cache.peek(merchantId), REFRESH_AFTER_MS))
    const merchantIds = [...new Set([...missed, ...due])]
    const loaded = { sinceMs, endpoints: read(merchantIds) }
    // A merchant without a usable answer waits for this query; the others keep their answer until it has ended.
    for (const merchantId of merchantIds) {
      if (isOlder(cache.peek(merchantId), ENDPOINT_CACHE_MS)) cache.set(merchantId, loaded)
    }
    try {
      await loaded.endpoints
      // Unless a later query has ended before this one.
      for (const merchantId of merchantIds) {
        if ((cache.peek(merchantId)?.sinceMs ?? 0) <= sinceMs) cache.set(merchantId, loaded)
      }
    } catch (error) {
      // A failure is not cached: the next caller queries again.
      for (const merchantId of merchantIds) if (cache.peek(merchantId) === loaded) cache.delete(merchantId)
      throw error
    }
    return loaded.endpoints
  }

  /** All misses of one turn of the event loop share one query. */
  function load(merchantId: string): Promise<Endpoints> {
    if (!nextQuery) {
      const merchantIds = new Set<string>()
      const loaded = Promise.resolve().then(() => {
        nextQuery = undefined
        return query([...merchantIds])
      })
      nextQuery = { merchantIds, endpoints: loaded }
    }
    nextQuery.merchantIds.add(merchantId)
    return nextQuery.endpoints
  }

  function refreshInBackground(): void {
    if (refreshing) return
    refreshing = true
    // When it fails, the cached endpoints serve until they are too old.
    query([])
      .catch(() => undefined)
      .finally(() => (refreshing = false))
  }

  return async (merchantId) => {
    recent.add(merchantId)
    const cached = cache.get(merchantId)
    if (!cached || isOlder(cached, ENDPOINT_CACHE_MS)) return (await load(merchantId)).get(merchantId)
    if (isOlder(cached, REFRESH_AFTER_MS)) refreshInBackground()
    return (await cached.endpoints).get(merchantId)
  }
}
