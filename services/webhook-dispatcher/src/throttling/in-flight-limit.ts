/** One URL of one endpoint. Two merchants with the same URL are two endpoints: they share neither slots nor breaker. */
export interface EndpointKey {
  readonly endpointId: string
  readonly url: string
}

/** The endpoint as a map key: no id has a space. */
export function endpointKey({ endpointId, url }: EndpointKey): string {
  return `${endpointId} ${url}`
}

/** Why work competes for slots. Each consumer has as many slots as its prefetch; `trials` (test events) belong to no consumer. */
export type Priority = 'first_attempts' | 'retries' | 'trials'

export interface SlotRequest extends EndpointKey {
  readonly priority: Priority
  /** Slots that the circuit breaker allows, fewer than usual while an endpoint recovers. */
  readonly maxSlots?: number
  /** The latest result of the endpoint was a failure. */
  readonly failing?: boolean
}

/** Gives the slot back. Only the first call counts. */
export type ReleaseSlot = () => void

export type InFlightLimit = ReturnType<typeof createInFlightLimit>

export interface InFlightLimitOptions {
  readonly maxPerEndpoint: number
  /** Slots of `first_attempts` and of `retries`: the prefetch of their consumers. */
  readonly slotsPerPriority: number
  readonly nowMs: () => number
}

/**
 * Old orders keep the URL that was current at their creation. More URLs of one merchant do not get more slots than this; its
 * refunds count apart.
 */
const ENDPOINTS_PER_MERCHANT = 2

/** Share of a priority's slots that all endpoints whose latest result was a failure may use together. */
const FAILING_SHARE = 0.25

/** Share of a priority's slots that may wait in memory: a waiting message counts against the consumer's prefetch. */
const WAITING_SHARE = 0.5
/** While more than this share of a priority's slots is in use, there is no room. */
const ROOM_SHARE = 0.5
/** This many may always wait for one endpoint; beyond it, as many as it has slots in use. */
const MIN_WAITERS_PER_ENDPOINT = 4

/**
 * Bounds concurrent exchanges per endpoint, per merchant and per priority, so that a hanging endpoint never holds the slots that other
 * endpoints need. An endpoint's limit shrinks in proportion to the free slots of the priority. When n endpoints start to hang at the same
 * moment, each gets max / (1 + n · max / slots) of them, so other endpoints always find a free slot.
 */
export function createInFlightLimit({ maxPerEndpoint, slotsPerPriority, nowMs }: InFlightLimitOptions) {
  const perEndpoint = createCounter()
  const perMerchant = createCounter()
  const perPriority = createCounter()
  const failingPerPriority = createCounter()
  const waitingPerPriority = createCounter()
  const maxFailing = Math.max(1, Math.floor(slotsPerPriority * FAILING_SHARE))
  const maxWaiting = Math.floor(slotsPerPriority * WAITING_SHARE)
  const waiters = createSlotWaiters()
  /** Endpoints that a caller waited for until it timed out, and that have released nothing since. */
  const timedOut = new Set<string>()
  /** When each endpoint with slots in use last released one, or got its first. */
  const silentSince = new Map<string, number>()
  let total = 0

  function isAtLimit({ endpointId, priority, maxSlots = maxPerEndpoint, failing = false }: SlotRequest, key: string): boolean {
    const used = perEndpoint.of(key)
    if (used >= Math.min(maxSlots, maxPerEndpoint)) return true
    if (perMerchant.of(endpointId) >= ENDPOINTS_PER_MERCHANT * maxPerEndpoint) return true
    if (priority === 'trials') return false
    const free = slotsPerPriority - perPriority.of(priority)
    return (
      used >= Math.ceil((maxPerEndpoint * free) / slotsPerPriority) || (failing && failingPerPriority.of(priority) >= maxFailing)
    )
  }

  function count({ endpointId, priority, failing = false }: SlotRequest, key: string, change: 1 | -1): void {
    total += change
    perEndpoint.add(key, change)
    perMerchant.add(endpointId, change)
    perPriority.add(priority, change)
    if (failing) failingPerPriority.add(priority, change)
  }

  function release(request: SlotRequest, key: string): void {
    count(request, key, -1)
    if (perEndpoint.of(key) > 0) silentSince.set(key, nowMs())
    else silentSince.delete(key)
    timedOut.delete(key)
    waiters.wakeFirst(key)
  }

  return {
    /** Slots in use. */
    get total(): number {
      return total
    },

    /** True while more than half of the slots of the priority are free. */
    hasRoom: (priority: Priority): boolean => perPriority.of(priority) < slotsPerPriority * ROOM_SHARE,

    /** Takes a slot; `undefined` when the endpoint is at its limit. */
    tryAcquire(request: SlotRequest): ReleaseSlot | undefined {
      const key = endpointKey(request)
      if (isAtLimit(request, key)) return undefined
      if (perEndpoint.of(key) === 0) silentSince.set(key, nowMs())
      count(request, key, 1)
      let held = true
      return () => {
        if (!held) return
        held = false
        release(request, key)
      }
    },

    /**
     * Resolves to true when the endpoint releases a slot, to false after `withinMs`. Resolves to false at once when too many
     * callers wait already, or when an earlier caller timed out and the endpoint has released nothing since.
     */
    async whenReleased(request: EndpointKey & { readonly priority: Priority }, withinMs: number): Promise<boolean> {
      const { priority } = request
      const key = endpointKey(request)
      const maxWaiters = Math.max(MIN_WAITERS_PER_ENDPOINT, perEndpoint.of(key))
      if (waitingPerPriority.of(priority) >= maxWaiting || waiters.of(key) >= maxWaiters || timedOut.has(key)) return false
      waitingPerPriority.add(priority, 1)
      const released = await waiters.wait(key, withinMs)
      waitingPerPriority.add(priority, -1)
      // Only for an endpoint with slots in use: its next release clears the mark.
      if (!released && perEndpoint.of(key) > 0) timedOut.add(key)
      return released
    },

    /** Time since the endpoint last released a slot or got its first one, in milliseconds; 0 when it holds none. */
    silentMs(endpoint: EndpointKey): number {
      const since = silentSince.get(endpointKey(endpoint))
      // The clock may have been set back.
      return since === undefined ? 0 : Math.max(0, nowMs() - since)
    },
  }
}

/** Counts per key. A key whose count returns to zero uses no memory. */
function createCounter() {
  const counts = new Map<string, number>()
  const of = (key: string): number => counts.get(key) ?? 0
  return {
    of,
    add(key: string, change: number): void {
      const count = of(key) + change
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    },
  }
}

/** Callers that wait in memory for the next released slot of an endpoint, first in, first out. */
function createSlotWaiters() {
  const byKey = new Map<string, Set<() => void>>()
  return {
    /** How many wait for this key. */
    of: (key: string): number => byKey.get(key)?.size ?? 0,

    /** Resolves to true when `wakeFirst` reaches this waiter, to false after `withinMs`. */
    wait(key: string, withinMs: number): Promise<boolean> {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const waiting = byKey.get(key) ?? new Set()
      byKey.set(key, waiting)
      const end = (woken: boolean): void => {
        clearTimeout(timer)
        waiting.delete(wake)
        if (waiting.size === 0) byKey.delete(key)
        resolve(woken)
      }
      const wake = () => end(true)
      const timer = setTimeout(() => end(false), withinMs)
      waiting.add(wake)
      return promise
    },

    /** Wakes the caller that has waited longest for this key. */
    wakeFirst(key: string): void {
      const [first] = byKey.get(key) ?? []
      first?.()
    },
  }
}
