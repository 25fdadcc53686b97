import { disabledOf, enabled, type UrlHealth } from './endpoint-health.ts'
import type { EndpointId } from './endpoint-id.ts'

/** A merchant's webhook URLs and signing secrets. Registrations are effective-dated (design, section 5). */
export interface Endpoint {
  readonly id: EndpointId
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

/** How many changes a merchant may make to its endpoint: some at once, then one in each interval. */
export interface ChangeLimit {
  readonly burst: number
  readonly intervalMs: number
}

/** How far ahead a registration takes effect: covers clock differences and caches, so that all replicas agree on every order. */
export const TAKES_EFFECT_AFTER_MS = 500

/** How long a secret signs after its successor was created. */
export const ROTATION_OVERLAP_MS = 24 * 60 * 60 * 1000

/** Receivers check only the first few signatures. */
const MAX_LIVE_SECRETS = 5

/** Orders older than this get no webhooks: a URL replaced before that is forgotten. */
export const REGISTRATION_MEMORY_MS = 90 * 24 * 60 * 60 * 1000

/** Changes of URL. In `REGISTRATION_MEMORY_MS` they are fewer than `MAX_REGISTRATIONS`, so that limit locks no merchant out. */
export const URL_CHANGES: ChangeLimit = { burst: 20, intervalMs: 60 * 60 * 1000 * 2.4 }

/** Registrations that are kept. */
export const MAX_REGISTRATIONS = 1000

/** While all secrets are live, a rotation must come this long after the one before. */
export const ROTATION_INTERVAL_MS = 60 * 60 * 1000

/** The registration that was current at an instant. */
export function registrationAt(endpoint: Endpoint | undefined, instant: Date): Registration | undefined {
  return endpoint?.registrations.findLast(({ since }) => since.getTime() <= instant.getTime())
}

export type RegisterDecision =
  | { readonly kind: 'unchanged'; readonly registration: Registration }
  | {
      readonly kind: 'changed'
      readonly registration: Registration
      readonly registrations: readonly Registration[]
      readonly health: readonly UrlHealth[]
    }
  /** There were too many changes: the next one must wait for `waitMs`. */
  | { readonly kind: 'too_often'; readonly waitMs: number }

/**
 * What comes of registering `url`: it becomes the newest, later than every earlier one even if another replica's clock is ahead. The
 * same URL again changes nothing, unless it is disabled: registering enables it.
 */
export function register(endpoint: Endpoint | undefined, url: string, now: Date): RegisterDecision {
  const { registrations: earlier, health } = endpoint ?? { registrations: [], health: [] }
  const latest = earlier.at(-1)
  if (latest?.url === url && !disabledOf(health, url)) return { kind: 'unchanged', registration: latest }
  const after = { kind: 'changed', health: enabled(health, url) } as const
  if (latest?.url === url) return { ...after, registration: latest, registrations: earlier }
  const remembered = earlier.filter((_registration, index) => {
    const replacedAt = earlier[index + 1]?.since
    return replacedAt === undefined || replacedAt.getTime() > now.getTime() - REGISTRATION_MEMORY_MS
  })
  const changedAt = earlier.map(({ since }) => new Date(since.getTime() - TAKES_EFFECT_AFTER_MS))
  const waitMs = changeWaitMs(changedAt, now, URL_CHANGES)
  if (remembered.length >= MAX_REGISTRATIONS || waitMs > 0) return { kind: 'too_often', waitMs }
  const sinceMs = Math.max(now.getTime() + TAKES_EFFECT_AFTER_MS, (latest?.since.getTime() ?? -Infinity) + 1)
  const registration = { url, since: new Date(sinceMs) }
  return { ...after, registration, registrations: [...remembered, registration] }
}

/**
 * How long the next change must wait, in milliseconds; 0 when it may be made now. A token bucket that is full at first, replayed
 * over the earlier changes, so that nothing else has to be stored.
 * @param changedAt of the earlier changes, ascending
 */
export function changeWaitMs(changedAt: readonly Date[], now: Date, { burst, intervalMs }: ChangeLimit): number {
  let tokens = burst
  let at = changedAt[0] ?? now
  for (const next of [...changedAt, now]) {
    // A clock that was ahead may have written a change that is still to come.
    const elapsedMs = Math.max(0, next.getTime() - at.getTime())
    tokens = Math.min(burst, tokens + elapsedMs / intervalMs)
    at = next
    if (next !== now) tokens = Math.max(0, tokens - 1)
  }
  return tokens >= 1 ? 0 : Math.ceil((1 - tokens) * intervalMs)
}

/**
 * The registrations without those made from `since` on: the URL before them, if there is one, is in force again. For an operator,
 * after a theft of the merchant's credential.
 */
export function undoRegistrations(endpoint: Endpoint, since: Date): Registration[] {
  return endpoint.registrations.filter((registration) => registration.since.getTime() < since.getTime())
}

/** The secrets that sign now, the current one first. */
export function liveSecrets(endpoint: Endpoint, now: Date): EndpointSecret[] {
  return endpoint.secrets.filter(({ until }) => until === null || until.getTime() > now.getTime())
}

/**
 * The secrets after a rotation. When as many as receivers check are live, the rotation ends one early: neither the latest, whose
 * overlap was just promised, nor the oldest, which receivers are most likely to have. `undefined` when the last rotation was less
 * than `ROTATION_INTERVAL_MS` ago then.
 */
export function rotateSecrets(endpoint: Endpoint, sealed: string, now: Date): EndpointSecret[] | undefined {
  const overlapEnds = new Date(now.getTime() + ROTATION_OVERLAP_MS)
  const earlier = liveSecrets(endpoint, now).map((secret) => ({ ...secret, until: secret.until ?? overlapEnds }))
  if (earlier.length < MAX_LIVE_SECRETS) return [{ sealed, until: null }, ...earlier]
  const [latest, endedEarly, ...others] = earlier
  const rotatedAtMs = (endedEarly?.until.getTime() ?? Infinity) - ROTATION_OVERLAP_MS
  if (!latest || now.getTime() - rotatedAtMs < ROTATION_INTERVAL_MS) return undefined
  return [{ sealed, until: null }, latest, ...others]
}
