import { LRUCache } from 'lru-cache'
import { readSigningSecret, type SigningKey } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { liveSecrets, type Endpoint } from '../domain/endpoint.ts'
import type { StoredEndpoint } from '../persistence/endpoints.ts'

/** An endpoint as senders need it. */
export interface KnownEndpoint {
  readonly endpoint: Endpoint
  /** What signs now: the current key first, then those of a rotation that still overlaps. */
  signingKeys(now: Date): SigningKey[]
}

export type FindEndpoint = (merchantId: string) => Promise<KnownEndpoint | undefined>

/** How old an answer may be; half of what a registration waits before it takes effect (design, section 5). */
export const ENDPOINT_CACHE_MS = 250

const MAX_CACHED = 10_000

/** Finds endpoints; many deliveries of one merchant at once cost one query. The age counts from the query's start. */
export function makeFindEndpoint(options: {
  endpoints: { find(merchantId: string): Promise<StoredEndpoint | undefined> }
  sealer: Sealer
}): FindEndpoint {
  const { endpoints, sealer } = options
  const cache = new LRUCache<string, Promise<KnownEndpoint | undefined>>({ max: MAX_CACHED, ttl: ENDPOINT_CACHE_MS })
  const load = async (merchantId: string): Promise<KnownEndpoint | undefined> => {
    const stored = await endpoints.find(merchantId)
    return stored && openSecrets(stored.endpoint, sealer)
  }
  return (merchantId) => {
    const cached = cache.get(merchantId)
    if (cached) return cached
    const loading = load(merchantId)
    cache.set(merchantId, loading)
    // A failure is for those who wait now; whoever comes later asks again.
    loading.catch(() => {
      if (cache.peek(merchantId) === loading) cache.delete(merchantId)
    })
    return loading
  }
}

function openSecrets(endpoint: Endpoint, sealer: Sealer): KnownEndpoint {
  const opened = new Map<string, SigningKey>()
  const open = (sealed: string): SigningKey => {
    const known = opened.get(sealed)
    if (known) return known
    const key = readSigningSecret(sealer.open(sealed, endpoint.merchantId).toString('utf8'))
    opened.set(sealed, key)
    return key
  }
  return { endpoint, signingKeys: (now) => liveSecrets(endpoint, now).map(({ sealed }) => open(sealed)) }
}
