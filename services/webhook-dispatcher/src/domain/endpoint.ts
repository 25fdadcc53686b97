import type { UrlHealth } from './endpoint-health.ts'

/** Where a merchant's webhooks go, and what signs them. Registrations are effective-dated (design, section 5). */
export interface Endpoint {
  readonly merchantId: string
  /** Ordered by `since`, which only grows. */
  readonly registrations: readonly Registration[]
  /** The one that signs first; then those that still sign after a rotation, newest first. */
  readonly secrets: readonly EndpointSecret[]
  /** Of the URLs that fail or are disabled; nothing is kept of the others. */
  readonly health: readonly UrlHealth[]
}

export interface Registration {
  readonly url: string
  readonly since: Date
}

export interface EndpointSecret {
  /** Encrypted. */
  readonly sealed: string
  /** `null` for the current one. */
  readonly until: Date | null
}

/** How far ahead a registration takes effect, so that clocks and caches within it agree on every order. */
export const TAKES_EFFECT_AFTER_MS = 500

/** How long a secret signs after its successor was made. */
export const ROTATION_OVERLAP_MS = 24 * 60 * 60 * 1000

/** Receivers look at the first few signatures only; more live secrets than these help nobody. */
export const MAX_LIVE_SECRETS = 5

/** No webhook is made of an order that is older: what was replaced before that is forgotten. */
export const REGISTRATION_MEMORY_MS = 90 * 24 * 60 * 60 * 1000

/** Changes of URL within that memory. */
export const MAX_REGISTRATIONS = 500

/** The registration that was in force at an instant. */
export function registrationAt(endpoint: Endpoint | undefined, instant: Date): Registration | undefined {
  return endpoint?.registrations.findLast(({ since }) => since.getTime() <= instant.getTime())
}

/**
 * The registrations with `url` as the newest: later than every earlier one, whatever the clocks of other replicas say.
 * The URL that is the newest already stays as it is. `undefined` when there were too many changes.
 */
export function register(endpoint: Endpoint | undefined, url: string, now: Date): Registration[] | undefined {
  const earlier = endpoint?.registrations ?? []
  const latest = earlier.at(-1)
  if (latest?.url === url) return [...earlier]
  const remembered = earlier.filter((_registration, index) => {
    const replacedAt = earlier[index + 1]?.since
    return replacedAt === undefined || replacedAt.getTime() > now.getTime() - REGISTRATION_MEMORY_MS
  })
  if (remembered.length >= MAX_REGISTRATIONS) return undefined
  const sinceMs = Math.max(now.getTime() + TAKES_EFFECT_AFTER_MS, (latest?.since.getTime() ?? -Infinity) + 1)
  return [...remembered, { url, since: new Date(sinceMs) }]
}

/** The secrets that sign now, the current one first. */
export function liveSecrets(endpoint: Endpoint, now: Date): EndpointSecret[] {
  return endpoint.secrets.filter(({ until }) => until === null || until.getTime() > now.getTime())
}

/** The secrets after a rotation; `undefined` when too many would be live. */
export function rotateSecrets(endpoint: Endpoint, sealed: string, now: Date): EndpointSecret[] | undefined {
  const overlapEnds = new Date(now.getTime() + ROTATION_OVERLAP_MS)
  const earlier = liveSecrets(endpoint, now).map((secret) => ({ ...secret, until: secret.until ?? overlapEnds }))
  if (earlier.length >= MAX_LIVE_SECRETS) return undefined
  return [{ sealed, until: null }, ...earlier]
}
