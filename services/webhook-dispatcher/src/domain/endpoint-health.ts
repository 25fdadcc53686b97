import { isAcknowledged, isGone, type AttemptResult } from './delivery.ts'

/** `gone`: it answered 410. `failing`: it acknowledged nothing during `WEBHOOK_DISABLE_AFTER`. */
export const DISABLED_REASONS = ['gone', 'failing'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export interface Disabled {
  readonly at: Date
  readonly reason: DisabledReason
}

/**
 * A URL that has acknowledged nothing since `failingSince`. Stored in the database, so that all replicas agree and a restart
 * forgets nothing. A healthy URL costs no write: one when it begins to fail, one when it has recovered.
 */
export interface UrlHealth {
  readonly url: string
  readonly failingSince: Date
  /** Updated rarely, not with each failure. */
  readonly lastFailureAt: Date
  /** Nothing is sent to a disabled URL until the merchant enables it. */
  readonly disabled: Disabled | null
}

/** URLs that are remembered per merchant; further ones are ignored. */
const MAX_URLS = 100

/**
 * A silence of this share of the time starts the count again: a few failures far apart, of an endpoint that hardly gets
 * webhooks, are no sustained failure.
 */
const SILENCE_SHARE = 1 / 4
const RENEWAL_SHARE = 1 / 50

/** Why and when a URL was disabled; `undefined` while it is enabled. */
export function disabledOf(health: readonly UrlHealth[], url: string): Disabled | undefined {
  return health.find((entry) => entry.url === url)?.disabled ?? undefined
}

/**
 * The health after a result; `undefined` when nothing has to be written. A disabled URL stays disabled, whatever it answers
 * to requests that were still in flight.
 *
 * @param disableAfterMs a URL that acknowledges nothing for this long is disabled
 */
export function healthAfter(
  health: readonly UrlHealth[],
  { url, result, disableAfterMs }: { url: string; result: AttemptResult; disableAfterMs: number },
  now: Date,
): readonly UrlHealth[] | undefined {
  const entry = health.find((known) => known.url === url)
  if (entry?.disabled) return undefined
  const others = health.filter((known) => known !== entry)
  if (isAcknowledged(result)) return entry && others
  const failing = { url, failingSince: entry?.failingSince ?? now, lastFailureAt: now }
  if (isGone(result)) return [...others, { ...failing, disabled: { at: now, reason: 'gone' } }]
  if (!entry) return others.length < MAX_URLS ? [...others, { ...failing, disabled: null }] : undefined

  const silenceMs = now.getTime() - entry.lastFailureAt.getTime()
  if (silenceMs > disableAfterMs * SILENCE_SHARE) return [...others, { ...failing, failingSince: now, disabled: null }]
  if (now.getTime() - entry.failingSince.getTime() >= disableAfterMs) {
    return [...others, { ...failing, disabled: { at: now, reason: 'failing' } }]
  }
  return silenceMs > disableAfterMs * RENEWAL_SHARE ? [...others, { ...failing, disabled: null }] : undefined
}

/** The health after the merchant has enabled the URL. */
export function enabled(health: readonly UrlHealth[], url: string): readonly UrlHealth[] {
  return health.filter((entry) => entry.url !== url)
}
