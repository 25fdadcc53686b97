import { LRUCache } from 'lru-cache'
import type { Log } from '@gateway/service-kit'
import { endpointKey, type EndpointKey } from './in-flight-limit.ts'

/** What the breaker needs to know of an exchange: the status, and why it was not complete. */
export interface ExchangeResult {
  readonly status_code: number | null
  readonly error: string | null
}

/** When a breaker opens, how long it stays open and how the endpoint recovers. The same for every endpoint. */
export interface BreakerRules {
  /** The breaker looks at this many of the latest results; a window begins with a failure. */
  readonly window: number
  /** The breaker does not open on fewer results. */
  readonly minResults: number
  /** Share of failures in the window that opens the breaker: above 0, at most 1. */
  readonly failureShare: number
  /** A silence of this length between two results empties the window. */
  readonly forgetAfterMs: number
  /** How long the breaker stays open the first time. Doubled after each failed probe, up to `maxOpenMs`. */
  readonly firstOpenMs: number
  readonly maxOpenMs: number
  /** The open time is shortened at random by up to this share, so that endpoints of one failed host are not probed together. */
  readonly jitter: number
  /** Slots of a healthy endpoint. A recovering endpoint starts with one and gets one more with each success. */
  readonly fullSlots: number
}

/**
 * The circuit breaker of one endpoint, in the memory of one replica: stops calls to an endpoint that keeps failing.
 * Pure: time and randomness are arguments. `openings` counts how often it opened since the endpoint was last healthy.
 */
export type Breaker =
  | {
      readonly status: 'closed'
      /** The window, oldest first; true is a failure. */
      readonly failures: readonly boolean[]
      readonly lastResultMs: number
      readonly openings: number
      /** In-flight limit of the endpoint. */
      readonly slots: number
    }
  | { readonly status: 'open'; readonly untilMs: number; readonly openings: number }
  /** One probe is in flight since `sinceMs`. */
  | { readonly status: 'half_open'; readonly sinceMs: number; readonly openings: number }

export type BreakerAnswer =
  /** Closed. `failing`: the latest result was a failure. */
  | { readonly kind: 'allow'; readonly slots: number; readonly failing: boolean }
  /** Open, and a probe is due. The caller that sends it calls `beginProbe`. */
  | { readonly kind: 'probe' }
  /** Open, or half-open with a probe in flight. */
  | { readonly kind: 'deny'; readonly retryAfterMs: number }

/** A working server nearly always answers a probe within this time. A probe without an answer by then will likely fail. */
const PROBE_ANSWER_MS = 2000

export function closedBreaker(rules: BreakerRules): Breaker & { status: 'closed' } {
  return { status: 'closed', failures: [], lastResultMs: 0, openings: 0, slots: rules.fullSlots }
}

/**
 * True when a result says that no working server is behind the URL: no complete HTTP answer (timeout, name, connection,
 * certificate, protocol), a 5xx, or 429. Any other status, 4xx included, comes from a working server: waiting would not help.
 */
export function isOutage({ status_code, error }: ExchangeResult): boolean {
  return error !== null || status_code === null || status_code === 429 || status_code >= 500
}

/** Whether an exchange with the endpoint may start now. */
export function askBreaker(breaker: Breaker, nowMs: number, rules: BreakerRules): BreakerAnswer {
  if (breaker.status === 'closed') return { kind: 'allow', slots: breaker.slots, failing: breaker.failures.at(-1) ?? false }
  if (breaker.status === 'open') {
    return nowMs >= breaker.untilMs ? { kind: 'probe' } : { kind: 'deny', retryAfterMs: breaker.untilMs - nowMs }
  }
  const openings = nowMs - breaker.sinceMs < PROBE_ANSWER_MS ? 0 : breaker.openings
  return { kind: 'deny', retryAfterMs: openMs(openings, rules) }
}

export function beginProbe({ openings }: Breaker, nowMs: number): Breaker {
  return { status: 'half_open', sinceMs: nowMs, openings }
}

/** For a probe that was not sent: the next one is due at once. */
export function dropProbe(breaker: Breaker, nowMs: number): Breaker {
  return breaker.status === 'half_open' ? { status: 'open', untilMs: nowMs, openings: breaker.openings } : breaker
}

export interface BreakerResult {
  readonly failed: boolean
  /** True for the result of the probe. */
  readonly probe: boolean
  readonly nowMs: number
  /** A random number from 0 to 1. */
  readonly random: number
}

/** The breaker after a result. Only the probe counts for a half-open one, and no result of exchanges that began before it opened. */
export function withResult(breaker: Breaker, result: BreakerResult, rules: BreakerRules): Breaker {
  if (breaker.status === 'open' || result.probe !== (breaker.status === 'half_open')) return breaker
  if (breaker.status === 'closed') return withClosedResult(breaker, result, rules)
  if (result.failed) return opened(breaker.openings, result, rules)
  return { ...closedBreaker(rules), openings: breaker.openings, slots: 1, lastResultMs: result.nowMs }
}

/** True when the breaker holds nothing worth remembering. */
export function isHealthy(breaker: Breaker, rules: BreakerRules): boolean {
  return breaker.status === 'closed' && breaker.slots === rules.fullSlots && !breaker.failures.includes(true)
}

function withClosedResult(breaker: Breaker & { status: 'closed' }, result: BreakerResult, rules: BreakerRules): Breaker {
  const { failed, nowMs } = result
  if (!failed && isHealthy(breaker, rules)) return breaker
  const recent = nowMs - breaker.lastResultMs > rules.forgetAfterMs ? [] : breaker.failures
  const failures = [...recent, failed].slice(-rules.window)
  const share = failures.filter(Boolean).length / failures.length
  if (failed && failures.length >= rules.minResults && share >= rules.failureShare) {
    return opened(breaker.openings, result, rules)
  }
  const slots = failed ? breaker.slots : Math.min(breaker.slots + 1, rules.fullSlots)
  const openings = slots === rules.fullSlots ? 0 : breaker.openings
  const after = { status: 'closed', failures, lastResultMs: nowMs, openings, slots } as const
  return isHealthy(after, rules) ? closedBreaker(rules) : after
}

function opened(openings: number, { nowMs, random }: BreakerResult, rules: BreakerRules): Breaker {
  const untilMs = nowMs + openMs(openings, rules) * (1 - rules.jitter * random)
  return { status: 'open', untilMs, openings: openings + 1 }
}

/** How long the breaker stays open after it has opened `openings` times before, without jitter. */
function openMs(openings: number, { firstOpenMs, maxOpenMs }: BreakerRules): number {
  return Math.min(firstOpenMs * 2 ** openings, maxOpenMs)
}

export type CircuitBreakers = ReturnType<typeof createCircuitBreakers>

export interface CircuitBreakersOptions {
  readonly rules: BreakerRules
  /** Called with the new status of a breaker. */
  readonly onChange: (to: Breaker['status']) => void
  readonly log: Log
  readonly nowMs: () => number
  readonly random: () => number
}

/** A forgotten endpoint counts as healthy. */
const MAX_REMEMBERED = 10_000

/** The circuit breakers of all endpoints, in this process only: each replica learns from its own results (docs/adr/0007). */
export function createCircuitBreakers({ rules, onChange, log, nowMs, random }: CircuitBreakersOptions) {
  const breakers = new LRUCache<string, Breaker>({ max: MAX_REMEMBERED })
  const healthy = closedBreaker(rules)
  const breakerOf = (endpoint: EndpointKey): Breaker => breakers.get(endpointKey(endpoint)) ?? healthy

  function change(endpoint: EndpointKey, to: (before: Breaker) => Breaker): void {
    const key = endpointKey(endpoint)
    const before = breakers.get(key) ?? healthy
    const after = to(before)
    if (isHealthy(after, rules)) breakers.delete(key)
    else breakers.set(key, after)
    if (after.status === before.status) return
    onChange(after.status)
    // Logged once per outage: a failed probe opens the breaker again without a line.
    if (after.status === 'open' && before.status === 'closed')
      log.warn('circuit breaker opened', { endpoint: endpoint.endpointId })
    if (after.status === 'closed') log.info('circuit breaker closed', { endpoint: endpoint.endpointId })
  }

  return {
    /** Breakers that are open or half-open. */
    get notClosed(): number {
      let count = 0
      for (const { status } of breakers.values()) if (status !== 'closed') count += 1
      return count
    },

    ask: (endpoint: EndpointKey): BreakerAnswer => askBreaker(breakerOf(endpoint), nowMs(), rules),
    beginProbe: (endpoint: EndpointKey): void => change(endpoint, (before) => beginProbe(before, nowMs())),
    /** Records what an exchange led to. Without a result nothing was sent to the endpoint. */
    exchangeEnded(endpoint: EndpointKey, { probe, result }: { probe: boolean; result: ExchangeResult | undefined }): void {
      if (result) {
        const ended = { failed: isOutage(result), probe, nowMs: nowMs(), random: random() }
        change(endpoint, (before) => withResult(before, ended, rules))
      } else if (probe) change(endpoint, (before) => dropProbe(before, nowMs()))
    },
    isHealthy: (endpoint: EndpointKey): boolean => isHealthy(breakerOf(endpoint), rules),
  }
}
