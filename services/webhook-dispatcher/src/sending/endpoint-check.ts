import { setTimeout as sleep } from 'node:timers/promises'
import { NOT_PUBLIC, refusalOf } from './address-guard.ts'
import { AddressRefused, makeResolvePublic, type Resolve } from './guarded-lookup.ts'

/** How long a registration waits for a name to be looked up, in milliseconds. */
const LOOKUP_TIMEOUT_MS = 2000

/** Why a URL cannot be a webhook endpoint, its name's addresses included; `undefined` when it can. */
export type CheckEndpointUrl = (url: string) => Promise<string | undefined>

/**
 * A name that does not resolve now may do so later, and every connection checks again: only what is known to be wrong is
 * refused.
 */
export function makeCheckEndpointUrl(resolve: Resolve, allowedHosts: ReadonlySet<string>): CheckEndpointUrl {
  const resolvePublic = makeResolvePublic(resolve, allowedHosts)
  return async (url) => {
    const refusal = refusalOf(url, allowedHosts)
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
