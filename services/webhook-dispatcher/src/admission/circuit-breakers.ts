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

/** The circuit breaker of one endpoint. */
export interface EndpointBreaker {
  ask(): BreakerAnswer
  beginProbe(): void
  /** Records what an exchange led to. `undefined`: nothing was sent to the endpoint. */
  exchangeEnded(exchange: { readonly probe: boolean; readonly result: ExchangeResult | undefined }): void
  isHealthy(): boolean
}

/** The circuit breakers of all endpoints, in this process only: each replica learns from its own results (docs/adr/0007). */
export interface CircuitBreakers {
  of(endpoint: EndpointKey): EndpointBreaker
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
  const breakerOf = (key: string): Breaker => breakers.get(key) ?? healthy

  function replace(key: string, merchant: string, before: Breaker, after: Breaker): void {
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

    of(endpoint) {
      const key = endpointKey(endpoint)
      const change = (to: (before: Breaker) => Breaker): void => {
        const before = breakerOf(key)
        replace(key, endpoint.endpointId, before, to(before))
      }
      return {
        ask: () => askBreaker(breakerOf(key), nowMs(), rules),
        beginProbe: () => change((before) => beginProbe(before, nowMs())),
        exchangeEnded({ probe, result }) {
          if (result) {
            const facts = { failed: isOutage(result), probe, nowMs: nowMs(), random: random() }
            change((before) => withResult(before, facts, rules))
          } else if (probe) change((before) => dropProbe(before, nowMs()))
        },
        isHealthy: () => isHealthy(breakerOf(key), rules),
      }
    },
  }
}
