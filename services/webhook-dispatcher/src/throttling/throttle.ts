import type { CircuitBreakers, ExchangeResult } from './circuit-breaker.ts'
import type { EndpointKey, InFlightLimit, Priority } from './in-flight-limit.ts'

/** The right to one exchange with an endpoint. */
export interface Slot {
  readonly kind: 'slot'
  /**
   * Must be called as soon as the exchange is over, before its result is stored. Only the first call counts.
   * @param result what the exchange led to, for the circuit breaker; none when nothing was sent to this endpoint
   */
  release(result?: ExchangeResult): void
}

/** The attempt may not be made now. */
export type Denied =
  /** The circuit breaker is open; the next probe is due in `retryAfterMs`. */
  | { readonly kind: 'denied'; readonly reason: 'breaker_open'; readonly retryAfterMs: number }
  /** The endpoint is at its in-flight limit; it last released a slot `silentMs` ago. */
  | { readonly kind: 'denied'; readonly reason: 'at_limit'; readonly silentMs: number }

export type Throttle = ReturnType<typeof createThrottle>

export interface ThrottleOptions {
  readonly breakers: CircuitBreakers
  readonly limit: InFlightLimit
  /** Called with each answer that is not a slot. */
  readonly onDenied: (reason: Denied['reason']) => void
  readonly nowMs: () => number
}

/** Longer than most servers take to answer, and much shorter than the shortest park queue. */
const ACQUIRE_SOON_MS = 100

/**
 * Decides whether an attempt may start now. The circuit breaker (`circuit-breaker.ts`) stops calls to an
 * endpoint that keeps failing; the in-flight limit (`in-flight-limit.ts`) bounds concurrent exchanges, so that no endpoint holds all
 * slots. Both are in the memory of this replica (docs/adr/0007). A denied attempt is parked (`delivering/use-cases/park.ts`).
 */
export function createThrottle({ breakers, limit, onDenied, nowMs }: ThrottleOptions) {
  function tryAcquire(endpoint: EndpointKey, priority: Priority): Slot | Denied {
    const answer = breakers.ask(endpoint)
    if (answer.kind === 'deny') return { kind: 'denied', reason: 'breaker_open', retryAfterMs: answer.retryAfterMs }
    const probe = answer.kind === 'probe'
    const allowed = probe ? { failing: true } : { maxSlots: answer.slots, failing: answer.failing }
    const releaseSlot = limit.tryAcquire({ ...endpoint, priority, ...allowed })
    if (!releaseSlot) return { kind: 'denied', reason: 'at_limit', silentMs: limit.silentMs(endpoint) }
    if (probe) breakers.beginProbe(endpoint)
    let released = false
    return {
      kind: 'slot',
      release(result) {
        if (released) return
        released = true
        breakers.exchangeEnded(endpoint, { probe, result })
        // After the breaker: the caller that is woken by the release must see the new state.
        releaseSlot()
      },
    }
  }

  function reported(answer: Slot | Denied): Slot | Denied {
    if (answer.kind === 'denied') onDenied(answer.reason)
    return answer
  }

  async function whenFree(endpoint: EndpointKey, priority: Priority, denied: Denied): Promise<Slot | Denied> {
    const endsAtMs = nowMs() + ACQUIRE_SOON_MS
    let answer: Slot | Denied = denied
    while (answer.kind === 'denied' && breakers.isHealthy(endpoint) && nowMs() < endsAtMs) {
      const released = await limit.whenReleased({ ...endpoint, priority }, endsAtMs - nowMs())
      // Tried again even after a timeout: slots of other endpoints count towards the limit too.
      answer = tryAcquire(endpoint, priority)
      if (!released) break
    }
    return reported(answer)
  }

  return {
    acquire: (endpoint: EndpointKey, priority: Priority): Slot | Denied => reported(tryAcquire(endpoint, priority)),

    /**
     * Like `acquire`, but waits up to 100 ms for a slot of a healthy endpoint: nearly always one is released in that time, and
     * a round trip through a park queue takes at least 500 ms.
     */
    acquireSoon(endpoint: EndpointKey, priority: Priority): Promise<Slot | Denied> {
      const answer = tryAcquire(endpoint, priority)
      return answer.kind === 'slot' ? Promise.resolve(answer) : whenFree(endpoint, priority, answer)
    },
  }
}
