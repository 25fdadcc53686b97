import { isAcknowledged, isGone, type AttemptResult } from './delivery.ts'

/** `gone`: it answered 410. `failing`: nothing was acknowledged for so long (`WEBHOOK_DISABLE_AFTER`). */
export const DISABLED_REASONS = ['gone', 'failing'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export interface Disabled {
  readonly at: Date
  readonly reason: DisabledReason
}

/**
 * A URL that has acknowledged nothing since `failingSince`. It stands in the database, so that restarts and replicas agree,
 * and costs nothing while all is well: one write when a URL begins to fail, one when it has recovered.
 */
export interface UrlHealth {
  readonly url: string
  readonly failingSince: Date
  /** Renewed now and then only, not with each failure. */
  readonly lastFailureAt: Date
  /** Nothing is sent to it until the merchant enables it again. */
  readonly disabled: Disabled | null
}

/** URLs of one merchant; those that fail the longest are remembered. */
const MAX_URLS = 100

/**
 * Without failures for this share of the time there is nothing to count: a few failures of an endpoint that hardly gets
 * webhooks are no sustained failure, however far apart they are.
 */
const SILENCE_SHARE = 1 / 4
const RENEWAL_SHARE = 1 / 50

/** What disabled a URL, and when; `undefined` while it is in use. */
export function disabledOf(health: readonly UrlHealth[], url: string): Disabled | undefined {
  return health.find((entry) => entry.url === url)?.disabled ?? undefined
}

/**
 * The health after a result; `undefined` when nothing has to be written. A disabled URL stays so, whatever it answers to
 * what was on its way.
 *
 * @param disableAfterMs without any acknowledgement for so long a URL is disabled
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

/** The health once the merchant wants the URL to be used again. */
export function enabled(health: readonly UrlHealth[], url: string): readonly UrlHealth[] {
  return health.filter((entry) => entry.url !== url)
}
