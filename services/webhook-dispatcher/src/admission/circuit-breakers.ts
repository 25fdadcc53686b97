import { LRUCache } from 'lru-cache'
import type { Log } from '@gateway/service-kit'
import type { AttemptResult } from '../domain/delivery.ts'
import {
  askBreaker,
  beginProbe,
  closedBreaker,
  dropProbe,
  isHealthy,
  isOutage,
  withResult,
  type Breaker,
  type BreakerAnswer,
  type BreakerRules,
} from './circuit-breaker.ts'
import { endpointKey, type EndpointKey } from './endpoint-key.ts'

/** What the breaker needs to know of an exchange. */
export type ExchangeResult = Pick<AttemptResult, 'statusCode' | 'error'>

/** The circuit breakers of all endpoints, in this process only: each replica learns from its own results (docs/adr/0007). */
export interface CircuitBreakers {
  ask(endpoint: EndpointKey): BreakerAnswer
  beginProbe(endpoint: EndpointKey): void
  /** Records what an exchange led to. `undefined`: nothing was sent to the endpoint. */
  exchangeEnded(endpoint: EndpointKey, exchange: { readonly probe: boolean; readonly result: ExchangeResult | undefined }): void
  isHealthy(endpoint: EndpointKey): boolean
  /** Breakers that are open or half-open. */
  readonly notClosed: number
}

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

export function createCircuitBreakers({ rules, onChange, log, nowMs, random }: CircuitBreakersOptions): CircuitBreakers {
  const breakers = new LRUCache<string, Breaker>({ max: MAX_REMEMBERED })
  const healthy = closedBreaker(rules)
  const breakerOf = (endpoint: EndpointKey): Breaker => breakers.get(endpointKey(endpoint)) ?? healthy

  function change(endpoint: EndpointKey, to: (before: Breaker) => Breaker): void {
    const { endpointId: merchant } = endpoint
    const key = endpointKey(endpoint)
    const before = breakers.get(key) ?? healthy
    const after = to(before)
    if (isHealthy(after, rules)) breakers.delete(key)
    else if (after !== before) breakers.set(key, after)
    if (after.status === before.status) return
    onChange(after.status)
    // Logged once per outage: a failed probe opens the breaker again without a line.
    if (after.status === 'open' && before.status === 'closed') log.warn('circuit breaker opened', { merchant })
    if (after.status === 'closed') log.info('circuit breaker closed', { merchant })
  }

  return {
    get notClosed() {
      let count = 0
      for (const { status } of breakers.values()) if (status !== 'closed') count += 1
      return count
    },

    ask: (endpoint) => askBreaker(breakerOf(endpoint), nowMs(), rules),
    beginProbe: (endpoint) => change(endpoint, (before) => beginProbe(before, nowMs())),
    exchangeEnded(endpoint, { probe, result }) {
      if (result) {
        const facts = { failed: isOutage(result), probe, nowMs: nowMs(), random: random() }
        change(endpoint, (before) => withResult(before, facts, rules))
      } else if (probe) change(endpoint, (before) => dropProbe(before, nowMs()))
    },
    isHealthy: (endpoint) => isHealthy(breakerOf(endpoint), rules),
  }
}
