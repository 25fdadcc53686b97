import { LRUCache } from 'lru-cache'
import { readSigningSecret, type SigningKey } from '@gateway/contracts'
import type { Sealer } from '@gateway/service-kit'
import { liveSecrets, type Endpoint } from '../domain/endpoint.ts'

/** An endpoint as senders need it. */
export interface KnownEndpoint {
  readonly endpoint: Endpoint
  /** What signs now: the current key first, then those of a rotation that still overlaps. */
  signingKeys(now: Date): SigningKey[]
}

export type FindEndpoint = (merchantId: string) => Promise<KnownEndpoint | undefined>

/** How old an answer may be; half of what a registration waits before it takes effect (design, section 5). */
export const ENDPOINT_CACHE_MS = 250

/** From this age on an answer that is asked for is looked up again while it still serves. */
const REFRESH_FROM_MS = 150

/** A merchant who was sent something so lately is sure to be sent more: its endpoint is looked up along with others'. */
const BUSY_FOR_MS = 2000

const MAX_CACHED = 10_000
const MAX_PER_QUERY = 500

type Answers = ReadonlyMap<string, KnownEndpoint>

interface Entry {
  /** When its query began: the age counts from there. */
  readonly sinceMs: number
  readonly answers: Promise<Answers>
}

export interface FindEndpointOptions {
  readonly endpoints: { findMany(merchantIds: readonly string[]): Promise<Endpoint[]> }
  readonly sealer: Sealer
  readonly nowMs?: () => number
}

/**
 * Finds endpoints. All merchants that are being delivered to share one query at a time: whoever's answer ends takes along all
 * that were asked for of late, so a hundred busy merchants cost a few queries each second, and their webhooks wait for none.
 */
export function makeFindEndpoint({ endpoints, sealer, nowMs = () => performance.now() }: FindEndpointOptions): FindEndpoint {
  const cache = new LRUCache<string, Entry>({ max: MAX_CACHED })
  const toKnown = makeToKnown(sealer)
  const busy = makeBusy(nowMs)
  let gathering: { readonly missed: Set<string>; readonly answers: Promise<Answers> } | undefined
  let refreshing = false

  const isOlder = (entry: Entry | undefined, ageMs: number): boolean => entry === undefined || nowMs() - entry.sinceMs >= ageMs
  const isFresh = (entry: Entry | undefined): boolean => !isOlder(entry, ENDPOINT_CACHE_MS)

  async function query(missed: readonly string[]): Promise<Answers> {
    const sinceMs = nowMs()
    const along = busy.latest(MAX_PER_QUERY).filter((merchantId) => isOlder(cache.peek(merchantId), REFRESH_FROM_MS))
    const asked = [...new Set([...missed, ...along])]
    const answers = endpoints.findMany(asked).then((found) => new Map(found.map((one) => [one.merchantId, toKnown(one)])))
    const entry = { sinceMs, answers }
    // Those that have no answer wait for this one; those that have keep it until this one is there.
    for (const merchantId of asked) if (!isFresh(cache.peek(merchantId))) cache.set(merchantId, entry)
    try {
      await answers
      // A later query may have been faster.
      for (const merchantId of asked) if ((cache.peek(merchantId)?.sinceMs ?? 0) <= sinceMs) cache.set(merchantId, entry)
    } catch (error) {
      // A failure is for those who wait now; whoever comes later asks again.
      for (const merchantId of asked) if (cache.peek(merchantId) === entry) cache.delete(merchantId)
      throw error
    }
    return answers
  }

  /** What is missed in one turn is one query. */
  function gather(merchantId: string): Promise<Answers> {
    if (!gathering) {
      const missed = new Set<string>()
      const answers = Promise.resolve().then(() => {
        gathering = undefined
        return query([...missed])
      })
      gathering = { missed, answers }
    }
    gathering.missed.add(merchantId)
    return gathering.answers
  }

  function refresh(): void {
    if (refreshing) return
    refreshing = true
    // Should it fail, the answers in hand serve until they are too old.
    query([])
      .catch(() => undefined)
      .finally(() => (refreshing = false))
  }

  return async (merchantId) => {
    busy.add(merchantId)
    const entry = cache.get(merchantId)
    if (!entry || !isFresh(entry)) return (await gather(merchantId)).get(merchantId)
    if (isOlder(entry, REFRESH_FROM_MS)) refresh()
    return (await entry.answers).get(merchantId)
  }
}

/** Who was asked for in the last moments. */
function makeBusy(nowMs: () => number): { add(merchantId: string): void; latest(atMost: number): string[] } {
  /** In the order of the times. */
  const lastAsked = new Map<string, number>()
  return {
    add(merchantId) {
      lastAsked.delete(merchantId)
      lastAsked.set(merchantId, nowMs())
    },
    latest(atMost) {
      const since = nowMs() - BUSY_FOR_MS
      for (const [merchantId, atMs] of lastAsked) {
        if (atMs > since) break
        lastAsked.delete(merchantId)
      }
      return [...lastAsked.keys()].slice(-atMost)
    },
  }
}

/** Secrets are opened once and not after each query. */
function makeToKnown(sealer: Sealer): (endpoint: Endpoint) => KnownEndpoint {
  const opened = new LRUCache<string, { readonly merchantId: string; readonly key: SigningKey }>({ max: MAX_CACHED })
  return (endpoint) => {
    const { merchantId } = endpoint
    const open = (sealed: string): SigningKey => {
      const known = opened.get(sealed)
      // A sealed text opens in its merchant's record alone.
      if (known?.merchantId === merchantId) return known.key
      const key = readSigningSecret(sealer.open(sealed, merchantId).toString('utf8'))
      opened.set(sealed, { merchantId, key })
      return key
    }
    return { endpoint, signingKeys: (now) => liveSecrets(endpoint, now).map(({ sealed }) => open(sealed)) }
  }
}
