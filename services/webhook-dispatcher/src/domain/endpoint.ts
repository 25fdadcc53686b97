import type { UrlHealth } from './endpoint-health.ts'

/** A merchant's webhook URLs and signing secrets. Registrations are effective-dated (design, section 5). */
export interface Endpoint {
  readonly merchantId: string
  /** Ordered by `since`, strictly ascending. */
  readonly registrations: readonly Registration[]
  /** The current one first, then those that still sign after a rotation, newest first. */
  readonly secrets: readonly EndpointSecret[]
  /** Only of URLs that fail or are disabled. */
  readonly health: readonly UrlHealth[]
}

export interface Registration {
  readonly url: string
  readonly since: Date
}

export interface EndpointSecret {
  /** Encrypted at rest. */
  readonly sealed: string
  /** `null` for the current one. */
  readonly until: Date | null
}

/** How far ahead a registration takes effect: covers clock differences and caches, so that all replicas agree on every order. */
export const TAKES_EFFECT_AFTER_MS = 500

/** How long a secret signs after its successor was created. */
export const ROTATION_OVERLAP_MS = 24 * 60 * 60 * 1000

/** Receivers check only the first few signatures. */
const MAX_LIVE_SECRETS = 5

/** Orders older than this get no webhooks: a URL replaced before that is forgotten. */
export const REGISTRATION_MEMORY_MS = 90 * 24 * 60 * 60 * 1000

/** Changes of URL within that time. */
export const MAX_REGISTRATIONS = 500

/** The registration that was current at an instant. */
export function registrationAt(endpoint: Endpoint | undefined, instant: Date): Registration | undefined {
  return endpoint?.registrations.findLast(({ since }) => since.getTime() <= instant.getTime())
}

/**
 * The registrations with `url` as the newest, later than every earlier one even if another replica's clock is ahead. The
 * same URL again changes nothing. `undefined` when there were too many changes.
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
