import { LRUCache } from 'lru-cache'
import { readSigningSecret, type SigningKey } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { liveSecrets, type Endpoint } from '../domain/endpoint.ts'
import type { EndpointId } from '../domain/endpoint-id.ts'

/** An endpoint with the keys that sign its webhooks. */
export interface KnownEndpoint {
  readonly endpoint: Endpoint
  /**
   * The current key first, then those of a rotation that still overlaps. Empty when the current secret cannot be opened;
   * `npm run master-keys -- status` says why. An earlier secret that cannot be opened is left out.
   */
  signingKeys(now: Date): SigningKey[]
}

export type FindEndpoint = (endpointId: EndpointId) => Promise<KnownEndpoint | undefined>

/** How old a cached endpoint may be. Half of what a registration waits before it takes effect (design, section 5). */
export const ENDPOINT_CACHE_MS = 250

/** A cached endpoint of this age is refreshed in the background when it is asked for. */
const REFRESH_AFTER_MS = 150

/** A merchant asked for within this time will likely be asked for again: each query reloads its endpoint too. */
const RECENT_MS = 2000

const MAX_CACHED = 10_000
const MAX_PER_QUERY = 500

type Endpoints = ReadonlyMap<EndpointId, KnownEndpoint>

/** One query and the time it began: its answers are as old as that. */
interface Loaded {
  readonly sinceMs: number
  readonly endpoints: Promise<Endpoints>
}

export interface FindEndpointOptions {
  readonly endpoints: { findMany(endpointIds: readonly EndpointId[]): Promise<Endpoint[]> }
  readonly sealer: Sealer
  readonly nowMs?: () => number
}

/**
 * A cache of endpoints with one shared query: every query also reloads all recently used endpoints. A hundred busy merchants so
 * cost a few queries a second, and their webhooks wait for none. Not a `createBatcher`: a miss must not wait for a running query.
 */
export function makeFindEndpoint({ endpoints, sealer, nowMs = () => performance.now() }: FindEndpointOptions): FindEndpoint {
  const cache = new LRUCache<EndpointId, Loaded>({ max: MAX_CACHED })
  /** When each endpoint was last looked up: each lookup moves it to the end. */
  const usedAtMs = new Map<EndpointId, number>()
  const signingKeysOf = makeSigningKeysOf(sealer)
  let nextQuery: { readonly endpointIds: Set<EndpointId>; readonly endpoints: Promise<Endpoints> } | undefined
  let refreshing = false

  const isOlder = (loaded: Loaded | undefined, ageMs: number): boolean => !loaded || nowMs() - loaded.sinceMs >= ageMs

  async function read(endpointIds: readonly EndpointId[]): Promise<Endpoints> {
    const found = await endpoints.findMany(endpointIds)
    return new Map(found.map((endpoint) => [endpoint.id, { endpoint, signingKeys: (now) => signingKeysOf(endpoint, now) }]))
  }

  /** At most `MAX_PER_QUERY`, the most recent last. */
  function recentlyUsed(): EndpointId[] {
    const sinceMs = nowMs() - RECENT_MS
    for (const [endpointId, atMs] of usedAtMs) {
      if (atMs > sinceMs) break
      usedAtMs.delete(endpointId)
    }
    return [...usedAtMs.keys()].slice(-MAX_PER_QUERY)
  }

  /** Loads the missed endpoints together with all recently used ones that are due for a refresh. */
  async function query(missed: readonly EndpointId[]): Promise<Endpoints> {
    const sinceMs = nowMs()
    const due = recentlyUsed().filter((endpointId) => isOlder(cache.peek(endpointId), REFRESH_AFTER_MS))
    const endpointIds = [...new Set([...missed, ...due])]
    const loaded = { sinceMs, endpoints: read(endpointIds) }
    // A merchant without a usable answer waits for this query; the others keep their answer until it has ended.
    for (const endpointId of endpointIds) {
      if (isOlder(cache.peek(endpointId), ENDPOINT_CACHE_MS)) cache.set(endpointId, loaded)
    }
    try {
      await loaded.endpoints
      // Unless a later query has ended before this one.
      for (const endpointId of endpointIds) {
        if ((cache.peek(endpointId)?.sinceMs ?? 0) <= sinceMs) cache.set(endpointId, loaded)
      }
    } catch (error) {
      // A failure is not cached: the next caller queries again.
      for (const endpointId of endpointIds) if (cache.peek(endpointId) === loaded) cache.delete(endpointId)
      throw error
    }
    return loaded.endpoints
  }

  /** All misses of one turn of the event loop share one query. */
  function load(endpointId: EndpointId): Promise<Endpoints> {
    if (!nextQuery) {
      const endpointIds = new Set<EndpointId>()
      const loaded = Promise.resolve().then(() => {
        nextQuery = undefined
        return query([...endpointIds])
      })
      nextQuery = { endpointIds, endpoints: loaded }
    }
    nextQuery.endpointIds.add(endpointId)
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

  return async (endpointId) => {
    usedAtMs.delete(endpointId)
    usedAtMs.set(endpointId, nowMs())
    const cached = cache.get(endpointId)
    if (!cached || isOlder(cached, ENDPOINT_CACHE_MS)) return (await load(endpointId)).get(endpointId)
    if (isOlder(cached, REFRESH_AFTER_MS)) refreshInBackground()
    return (await cached.endpoints).get(endpointId)
  }
}

/** Opens each sealed secret once and keeps the key, so that a new read of the endpoint costs no decryption. */
export function makeSigningKeysOf(sealer: Sealer) {
  const opened = new LRUCache<string, { readonly endpointId: EndpointId; readonly key: SigningKey }>({ max: MAX_CACHED })

  function openIfPossible(sealed: string, endpointId: EndpointId): SigningKey | undefined {
    const known = opened.get(sealed)
    // A sealed secret opens only for its own endpoint.
    if (known?.endpointId === endpointId) return known.key
    try {
      const key = readSigningSecret(sealer.open(sealed, endpointId).toString('utf8'))
      opened.set(sealed, { endpointId, key })
      return key
    } catch {
      return undefined
    }
  }

  return (endpoint: Endpoint, now: Date): SigningKey[] => {
    const keys: SigningKey[] = []
    for (const { sealed, until } of liveSecrets(endpoint, now)) {
      const key = openIfPossible(sealed, endpoint.id)
      if (key) keys.push(key)
      else if (until === null) return []
    }
    return keys
  }
}
