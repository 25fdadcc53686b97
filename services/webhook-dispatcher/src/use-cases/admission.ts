import { LRUCache } from 'lru-cache'
import {
  admit,
  beginProbe,
  closedBreaker,
  dropProbe,
  isOutage,
  isWell,
  withResult,
  type Breaker,
  type BreakerRules,
} from '../domain/breaker.ts'
import type { Log } from '@gateway/service-kit'
import type { AttemptResult } from '../domain/delivery.ts'
import type { DisabledReason } from '../domain/endpoint-health.ts'
import { keyOf, type EndpointKey, type InFlightLimits, type Lane } from './in-flight-limits.ts'

/** The right to one exchange with an endpoint. */
export interface Place {
  readonly kind: 'place'
  /**
   * Gives the place back: always called, as soon as the exchange is over, and no later for what is stored of it. The first call counts.
   * @param result what came of the exchange, for the breaker; none when there was no exchange with this endpoint
   */
  end(result?: Pick<AttemptResult, 'statusCode' | 'error'>): void
}

/**
 * No exchange now. `waitMs`: what is known of how long, and at least so long. But for `limit`, of an endpoint that merely has as much
 * as it may have: for how long it has answered nothing; one that answers has a place in a moment, and one that hangs will likely
 * hang for about as long again.
 */
export interface Wait {
  readonly kind: 'wait'
  readonly because: 'breaker' | 'limit'
  readonly waitMs: number
}

/** Who may be tried now. It is in this process' memory alone: replicas learn for themselves, within one window of results. */
export interface Admission {
  ask(endpoint: EndpointKey, lane: Exclude<Lane, 'trials'>): Place | Wait
  /**
   * The same, but a well endpoint that merely has as much as it may have is waited for: a tenth of a second at most, and by few.
   * Nearly always a place is given back within it, and putting the message aside would cost more, and half a second (docs/adr/0007).
   */
  askPatiently(endpoint: EndpointKey, lane: Exclude<Lane, 'trials'>): Promise<Place | Wait>
  /** Endpoints that are left alone now. */
  readonly leftAlone: number
}

/** What happens to endpoints, for metrics. */
export interface EndpointObserver {
  changed(to: Breaker['status']): void
  waits(because: Wait['because']): void
  disabled(reason: DisabledReason): void
}

export interface AdmissionOptions {
  readonly limits: InFlightLimits
  readonly rules: BreakerRules
  readonly observer: Pick<EndpointObserver, 'changed' | 'waits'>
  readonly log: Log
  readonly nowMs: () => number
  readonly random: () => number
}

/** Forgetting one means to try it as if it were well. */
const MAX_REMEMBERED = 10_000
/** Longer than most servers take to answer, and much shorter than the shortest wait aside. */
const PATIENCE_MS = 100

export function createAdmission({ limits, rules, observer, log, nowMs, random }: AdmissionOptions): Admission {
  const breakers = new LRUCache<string, Breaker>({ max: MAX_REMEMBERED })
  const well = closedBreaker(rules)
  const of = (key: string): Breaker => breakers.get(key) ?? well
  const told = (answer: Place | Wait): Place | Wait => {
    if (answer.kind === 'wait') observer.waits(answer.because)
    return answer
  }

  function set(endpoint: EndpointKey, key: string, before: Breaker, after: Breaker): void {
    if (isWell(after, rules)) breakers.delete(key)
    else if (after !== before) breakers.set(key, after)
    if (after.status === before.status) return
    observer.changed(after.status)
    // Probes are many; that an endpoint fails and that it is back is told once.
    const isNew = after.status === 'open' && before.status === 'closed'
    if (isNew) log.warn('an endpoint fails and is left alone for a while', { merchant: endpoint.merchantId })
    if (after.status === 'closed') log.info('an endpoint works again', { merchant: endpoint.merchantId })
  }

  function answer(endpoint: EndpointKey, lane: Lane): Place | Wait {
    const key = keyOf(endpoint)
    const before = of(key)
    const admission = admit(before, nowMs(), rules)
    if (admission.kind === 'wait') return { kind: 'wait', because: 'breaker', waitMs: admission.waitMs }
    const probe = admission.kind === 'probe'
    const giveBack = limits.take({ ...endpoint, lane, ...(probe ? { suspect: true } : admission) })
    if (!giveBack) return { kind: 'wait', because: 'limit', waitMs: limits.keepsAllForMs(endpoint) }
    if (probe) set(endpoint, key, before, beginProbe(before, nowMs()))
    let ended = false
    return {
      kind: 'place',
      end(result) {
        if (ended) return
        ended = true
        const now = of(key)
        if (result)
          set(endpoint, key, now, withResult(now, { failed: isOutage(result), probe, nowMs: nowMs(), random: random() }, rules))
        else if (probe) set(endpoint, key, now, dropProbe(now, nowMs()))
        // Last: who waits for the place is to be told by the breaker of now.
        giveBack()
      },
    }
  }

  return {
    get leftAlone() {
      let count = 0
      for (const { status } of breakers.values()) if (status !== 'closed') count += 1
      return count
    },

    ask: (endpoint, lane) => told(answer(endpoint, lane)),

    async askPatiently(endpoint, lane) {
      const endsAtMs = nowMs() + PATIENCE_MS
      let answered = answer(endpoint, lane)
      while (answered.kind === 'wait' && isWell(of(keyOf(endpoint)), rules) && nowMs() < endsAtMs) {
        const freed = await limits.freed({ ...endpoint, lane }, endsAtMs - nowMs())
        // Whatever came of the wait, it is asked once more: others' places count, too.
        answered = answer(endpoint, lane)
        if (!freed) break
      }
      return told(answered)
    },
  }
}
