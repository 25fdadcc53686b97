import { setTimeout as sleep } from 'node:timers/promises'
import { NOT_PUBLIC, refusalOf, type EndpointRules } from './address-guard.ts'
import { AddressRefused, makeResolvePublic, type Resolve } from './guarded-lookup.ts'

/** How long a registration waits for the name lookup. */
const LOOKUP_TIMEOUT_MS = 2000

/** Why a URL cannot be a webhook endpoint, judged by its text and the addresses of its name; `undefined` when it can. */
export type CheckEndpointUrl = (url: string) => Promise<string | undefined>

/**
 * Refuses only a URL that is known to be wrong: a name that does not resolve now may do so later, and every connection is
 * checked again.
 */
export function makeCheckEndpointUrl(resolve: Resolve, rules: EndpointRules): CheckEndpointUrl {
  const resolvePublic = makeResolvePublic(resolve, rules.allowedHosts)
  return async (url) => {
    const refusal = refusalOf(url, rules)
    if (refusal !== undefined) return refusal.message
    const { hostname } = new URL(url)
    const waiting = new AbortController()
    try {
      const lookedUp = resolvePublic(hostname.replace(/^\[|\]$/gu, ''))
      await Promise.race([lookedUp, sleep(LOOKUP_TIMEOUT_MS, undefined, { signal: waiting.signal })])
      return undefined
    } catch (error) {
      return error instanceof AddressRefused ? NOT_PUBLIC : undefined
    } finally {
      waiting.abort()
    }
  }
}
