import { LRUCache } from 'lru-cache'
import type { Log } from '@gateway/service-kit'
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
  type ExchangeResult,
} from './circuit-breaker.ts'
import { endpointKey, type EndpointKey } from './endpoint-key.ts'

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
