import { assertNever } from '@gateway/contracts'
import type { AttemptResult } from './delivery.ts'

/** When an endpoint is left alone, for how long, and how it comes back: data, the same for every endpoint. */
export interface BreakerRules {
  /** So many of the latest results are looked back on; a window begins with a failure. */
  readonly window: number
  /** With fewer results than these nothing is decided. */
  readonly minResults: number
  /** This share of failures opens it: above 0, at most 1. */
  readonly failureShare: number
  /** Results count together only while none of them is followed by a silence of this length. */
  readonly forgetAfterMs: number
  /** How long it stays open at first; twice as long after each probe that fails, up to `maxOpenMs`. */
  readonly firstOpenMs: number
  readonly maxOpenMs: number
  /** An open time is shortened by up to this share, by chance, so that endpoints of one failed host drift apart. */
  readonly jitter: number
  /** Places of an endpoint that has recovered for good; it begins with one, and gets one more with each success. */
  readonly fullPlaces: number
}

/**
 * What one replica knows of one endpoint (merchant and URL). `openings` counts openings since the endpoint was last well.
 * `half_open`: one probe is on its way, since then.
 */
export type Breaker =
  | {
      readonly status: 'closed'
      /** The window, oldest first; true is a failure. */
      readonly failures: readonly boolean[]
      readonly lastResultMs: number
      readonly openings: number
      /** How many may be on their way at once. */
      readonly places: number
    }
  | { readonly status: 'open'; readonly untilMs: number; readonly openings: number }
  | { readonly status: 'half_open'; readonly sinceMs: number; readonly openings: number }

/** `wait`: not now, and what is known of how long. */
export type Admission =
  | { readonly kind: 'go'; readonly places: number; readonly suspect: boolean }
  | { readonly kind: 'probe' }
  | { readonly kind: 'wait'; readonly waitMs: number }

/** A probe that a server answers is mostly answered by then; one that is on its way for longer will likely fail. */
const ANSWERED_WITHIN_MS = 2000

export function closedBreaker(rules: BreakerRules): Breaker & { status: 'closed' } {
  return { status: 'closed', failures: [], lastResultMs: 0, openings: 0, places: rules.fullPlaces }
}

/**
 * True when a result says that there is no working server behind the URL: no whole HTTP answer (time, name, connection,
 * certificate, protocol), a 5xx, or 429, which asks to be left alone. Any other status was decided by a server that lives,
 * a 4xx too: leaving it alone would help nobody, and each delivery has its own number of attempts.
 */
export function isOutage({ statusCode, error }: Pick<AttemptResult, 'statusCode' | 'error'>): boolean {
  return error !== null || statusCode === null || statusCode === 429 || statusCode >= 500
}

/** Whether the endpoint may be tried now. A `probe` that is taken up must be begun with `beginProbe`. */
export function admit(breaker: Breaker, nowMs: number, rules: BreakerRules): Admission {
  switch (breaker.status) {
    case 'closed':
      return { kind: 'go', places: breaker.places, suspect: breaker.failures.at(-1) ?? false }
    case 'open':
      return nowMs >= breaker.untilMs ? { kind: 'probe' } : { kind: 'wait', waitMs: breaker.untilMs - nowMs }
    case 'half_open':
      return { kind: 'wait', waitMs: openMs(nowMs - breaker.sinceMs < ANSWERED_WITHIN_MS ? 0 : breaker.openings, rules) }
    default:
      return assertNever(breaker)
  }
}

export function beginProbe({ openings }: Breaker, nowMs: number): Breaker {
  return { status: 'half_open', sinceMs: nowMs, openings }
}

/** A probe that was not sent after all: the next one may be, at once. */
export function dropProbe(breaker: Breaker, nowMs: number): Breaker {
  return breaker.status === 'half_open' ? { status: 'open', untilMs: nowMs, openings: breaker.openings } : breaker
}

export interface Result {
  readonly failed: boolean
  /** Whether it is the probe's; what was on its way when the breaker opened says nothing new. */
  readonly probe: boolean
  readonly nowMs: number
  /** 0 to 1, by chance. */
  readonly random: number
}

/** The breaker after a result. */
export function withResult(breaker: Breaker, result: Result, rules: BreakerRules): Breaker {
  switch (breaker.status) {
    case 'closed':
      return result.probe ? breaker : withClosedResult(breaker, result, rules)
    case 'half_open':
      if (!result.probe) return breaker
      if (result.failed) return opened(breaker.openings, result, rules)
      return { ...closedBreaker(rules), openings: breaker.openings, places: 1, lastResultMs: result.nowMs }
    case 'open':
      return breaker
    default:
      return assertNever(breaker)
  }
}

/** True when nothing need be remembered of the endpoint. */
export function isWell(breaker: Breaker, rules: BreakerRules): boolean {
  return breaker.status === 'closed' && breaker.places === rules.fullPlaces && !breaker.failures.includes(true)
}

function withClosedResult(breaker: Breaker & { status: 'closed' }, result: Result, rules: BreakerRules): Breaker {
  const { failed, nowMs } = result
  if (!failed && isWell(breaker, rules)) return breaker
  const recent = nowMs - breaker.lastResultMs > rules.forgetAfterMs ? [] : breaker.failures
  const failures = [...recent, failed].slice(-rules.window)
  const share = failures.filter(Boolean).length / failures.length
  if (failed && failures.length >= rules.minResults && share >= rules.failureShare) {
    return opened(breaker.openings, result, rules)
  }
  const places = failed ? breaker.places : Math.min(breaker.places + 1, rules.fullPlaces)
  const openings = places === rules.fullPlaces ? 0 : breaker.openings
  const after = { status: 'closed', failures, lastResultMs: nowMs, openings, places } as const
  return isWell(after, rules) ? closedBreaker(rules) : after
}

function opened(openings: number, { nowMs, random }: Result, rules: BreakerRules): Breaker {
  const untilMs = nowMs + openMs(openings, rules) * (1 - rules.jitter * random)
  return { status: 'open', untilMs, openings: openings + 1 }
}

/** After so many openings, the next one lasts for this long at most. */
function openMs(openings: number, { firstOpenMs, maxOpenMs }: BreakerRules): number {
  return Math.min(firstOpenMs * 2 ** openings, maxOpenMs)
}
