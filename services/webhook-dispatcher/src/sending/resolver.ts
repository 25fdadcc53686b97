import { lookup, Resolver } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Resolve } from './guarded-lookup.ts'

export interface ResolverOptions {
  /** DNS servers, such as `127.0.0.1:5353`. By default those of the system. */
  readonly servers?: readonly string[] | undefined
  /** Hosts that need not be public: found like this machine's own names, so that its hosts file counts. */
  readonly allowedHosts: ReadonlySet<string>
  readonly nowMs?: () => number
}

/** A query that gets no answer is sent again once, after this time; the second one has twice as long. */
const QUERY_TIMEOUT_MS = 1000
const QUERY_TRIES = 2
/** How long one family of addresses waits for the other (RFC 8305, section 3). */
const OTHER_FAMILY_MS = 50
/** Connections are kept alive, so this is for many endpoints behind one name, and for names that fail. */
const CACHE_MS = 5000
const FAILURE_CACHE_MS = 1000
const MAX_CACHED = 10_000

/**
 * Resolves merchants' hosts with c-ares. `dns.lookup` would run on the four threads that all files and lookups of this process
 * share: eight names whose servers do not answer made every other name wait for 40 s. Callers that ask for one name share its
 * lookup, so a merchant has no more lookups under way than names. The system's search list is not used.
 */
export function createResolver({ servers, allowedHosts, nowMs = () => performance.now() }: ResolverOptions): Resolve {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
  if (servers) resolver.setServers(servers)
  const cache = new LRUCache<string, Promise<LookupAddress[]>>({ max: MAX_CACHED, perf: { now: nowMs }, ttlResolution: 0 })

  function look(hostname: string): Promise<LookupAddress[]> {
    const found = allowedHosts.has(hostname)
      ? lookup(hostname, { all: true })
      : bothFamilies(resolver.resolve4(hostname), resolver.resolve6(hostname))
    const keepFor = (ttl: number) => () => void cache.set(hostname, found, { ttl })
    found.then(keepFor(CACHE_MS), keepFor(FAILURE_CACHE_MS))
    cache.set(hostname, found)
    return found
  }

  return (name) => {
    const family = isIP(name)
    if (family !== 0) return Promise.resolve([{ address: name, family }])
    const hostname = name.toLowerCase().replace(/\.$/u, '')
    return cache.get(hostname) ?? look(hostname)
  }
}

/** All addresses; those of the slower family only if they come soon after the others. Rejects when there are none. */
async function bothFamilies(v4: Promise<string[]>, v6: Promise<string[]>): Promise<LookupAddress[]> {
  const found: LookupAddress[] = []
  const failures: unknown[] = []
  const take = (answer: Promise<string[]>, family: 4 | 6): Promise<number> =>
    answer.then(
      (addresses) => found.push(...addresses.map((address) => ({ address, family }))),
      (error: unknown) => failures.push(error),
    )
  const taken = [take(v4, 4), take(v6, 6)]
  await Promise.race(taken)
  const both = Promise.all(taken)
  await (found.length > 0 ? Promise.race([both, sleep(OTHER_FAMILY_MS, undefined, { ref: false })]) : both)
  if (found.length > 0) return found.toSorted((one, other) => one.family - other.family)
  throw notResolved(failures[0])
}

/** With the codes of `dns.lookup`: an unreachable DNS server must not look like a merchant's server that refuses connections. */
function notResolved(cause: unknown): Error {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA'
  return Object.assign(new Error('the name was not resolved', { cause }), { code: isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN' })
}
