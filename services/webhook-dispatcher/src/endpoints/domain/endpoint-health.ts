import { type AttemptResult, isAcknowledged, isGone } from '../../sending/index.ts'

/** `gone`: it answered 410. `failing`: it acknowledged nothing during `WEBHOOK_DISABLE_AFTER`. */
export type DisabledReason = 'gone' | 'failing'

export interface Disabled {
  readonly at: Date
  readonly reason: DisabledReason
}

/**
 * A URL that has acknowledged nothing since `failing_since`. Stored in the database, so that all replicas agree and a restart
 * forgets nothing. A healthy URL costs no write: one when it begins to fail, one when it has recovered.
 */
export interface UrlHealth {
  readonly url: string
  readonly failing_since: Date
  /** Updated rarely, not with each failure. */
  readonly last_failure_at: Date
  /** Nothing is sent to a disabled URL until the merchant enables it. */
  readonly disabled: Disabled | null
}

type UrlState = 'healthy' | 'failing' | 'disabled'
/** `outlasted`: a failure after `WEBHOOK_DISABLE_AFTER` without an acknowledgement. */
type ResultKind = 'acknowledged' | 'failed' | 'outlasted' | 'gone'

/**
 * The states of a URL, and where a result moves it. A disabled URL stays disabled, whatever it answers to requests that were still in
 * flight: only its merchant moves it back, by enabling or registering it (`enabled`).
 */
const URL_MOVES = {
  healthy: { acknowledged: 'healthy', failed: 'failing', outlasted: 'failing', gone: 'disabled' },
  failing: { acknowledged: 'healthy', failed: 'failing', outlasted: 'disabled', gone: 'disabled' },
  disabled: { acknowledged: 'disabled', failed: 'disabled', outlasted: 'disabled', gone: 'disabled' },
} as const satisfies Record<UrlState, Record<ResultKind, UrlState>>

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

export interface HealthResult {
  readonly url: string
  readonly result: AttemptResult
  /** A URL that acknowledges nothing for this long is disabled. */
  readonly disableAfterMs: number
}

/** What a result makes of the health. Without a change nothing has to be written. */
export type HealthDecision = { readonly changed: false } | { readonly changed: true; readonly health: readonly UrlHealth[] }

const UNCHANGED: HealthDecision = { changed: false }

export function healthAfter(
  health: readonly UrlHealth[],
  { url, result, disableAfterMs }: HealthResult,
  now: Date,
): HealthDecision {
  const before = health.find((known) => known.url === url)
  const others = health.filter((known) => known !== before)
  const silenceMs = before ? now.getTime() - before.last_failure_at.getTime() : 0
  const isSilent = silenceMs > disableAfterMs * SILENCE_SHARE
  const failingSince = before && !isSilent ? before.failing_since : now
  const kind = kindOf(result, now.getTime() - failingSince.getTime() >= disableAfterMs)
  const [from, to] = [stateOf(before), URL_MOVES[stateOf(before)][kind]]
  const entry = { url, failing_since: failingSince, last_failure_at: now }
  if (to === 'failing') {
    const isDue = before ? silenceMs > disableAfterMs * RENEWAL_SHARE : others.length < MAX_URLS
    return isDue ? { changed: true, health: [...others, { ...entry, disabled: null }] } : UNCHANGED
  }
  if (from === to) return UNCHANGED
  if (to === 'healthy') return { changed: true, health: others }
  const reason = kind === 'gone' ? 'gone' : 'failing'
  return { changed: true, health: [...others, { ...entry, disabled: { at: now, reason } }] }
}

function stateOf(entry: UrlHealth | undefined): UrlState {
  if (!entry) return 'healthy'
  return entry.disabled ? 'disabled' : 'failing'
}

function kindOf(result: AttemptResult, isOutlasted: boolean): ResultKind {
  if (isAcknowledged(result)) return 'acknowledged'
  if (isGone(result)) return 'gone'
  return isOutlasted ? 'outlasted' : 'failed'
}

/** The health after the merchant has enabled the URL. */
export function enabled(health: readonly UrlHealth[], url: string): readonly UrlHealth[] {
  return health.filter((entry) => entry.url !== url)
}
