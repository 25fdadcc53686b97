/** Bounds what is on its way to one endpoint, so that a hanging one never holds what the others need. */
export interface InFlightLimits {
  /** A place, as the function that gives it back; `undefined` when there is none for this endpoint now. */
  take(request: PlaceRequest): (() => void) | undefined
  /**
   * True as soon as the endpoint gives a place back; false after `withinMs`. False at once when as many wait as may, in the lane or
   * for this endpoint, and when somebody waited for it in vain since it gave one back: so hanging endpoints are not waited for.
   */
  freed(request: Pick<PlaceRequest, 'merchantId' | 'url' | 'lane'>, withinMs: number): Promise<boolean>
  /** For how long the endpoint has kept all that is on its way to it, in milliseconds; 0 when nothing is. */
  keepsAllForMs(endpoint: EndpointKey): number
  readonly total: number
}

/** Merchants do not share places, even when their URLs are the same. */
export interface EndpointKey {
  readonly merchantId: string
  readonly url: string
}

/** What competes for places: each consumer has as many as it prefetches. Trials belong to no consumer. */
export const LANES = ['first_attempts', 'retries', 'trials'] as const
export type Lane = (typeof LANES)[number]

export interface PlaceRequest extends EndpointKey {
  readonly lane: Lane
  /** Fewer than usual, for an endpoint that is recovering. */
  readonly places?: number
  /** Its latest result was a failure. */
  readonly suspect?: boolean
}

export interface InFlightLimitsOptions {
  readonly maxPerEndpoint: number
  /** Places of each of the two consumers; nothing but these bounds a lane. */
  readonly laneSize: number
  readonly nowMs: () => number
}

/** A merchant may change its URL often, and old orders keep theirs: more URLs are not more places than these. */
const ENDPOINTS_PER_MERCHANT = 2

/** All endpoints together whose latest result was a failure have this share of a lane: the well ones always have the rest. */
const SUSPECTS_SHARE = 0.25

/** What waits in hand for a place takes the lane from others, too: no more than this share of it. */
const PATIENT_SHARE = 0.5
/** For one endpoint, as many may wait as are on their way to it: each for about one exchange. So many may always. */
const PATIENT_PER_ENDPOINT = 4

/**
 * An endpoint's limit shrinks in proportion to the places of the lane that are free. So however many endpoints begin to
 * hang at the same moment, before anything is known of them, they leave places to the others: with n endpoints that hold
 * all they may, each has max / (1 + n · max / size) of them.
 */
export function createInFlightLimits({ maxPerEndpoint, laneSize, nowMs }: InFlightLimitsOptions): InFlightLimits {
  const [perEndpoint, perMerchant, perLane, suspects] = [createCounter(), createCounter(), createCounter(), createCounter()]
  const maxSuspects = Math.max(1, Math.floor(laneSize * SUSPECTS_SHARE))
  const [patient, maxPatient] = [createCounter(), Math.floor(laneSize * PATIENT_SHARE)]
  const waiters = createWaiters()
  /** Endpoints that gave nothing back while somebody waited. */
  const inVain = new Set<string>()
  /** When each endpoint that has places gave the last one back, or got its first. */
  const keepsAllSince = new Map<string, number>()
  let total = 0

  function isFull({ merchantId, lane, places = maxPerEndpoint, suspect = false }: PlaceRequest, key: string): boolean {
    const held = perEndpoint.of(key)
    if (held >= Math.min(places, maxPerEndpoint)) return true
    if (perMerchant.of(merchantId) >= ENDPOINTS_PER_MERCHANT * maxPerEndpoint) return true
    if (lane === 'trials') return false
    const free = laneSize - perLane.of(lane)
    return held >= Math.ceil((maxPerEndpoint * free) / laneSize) || (suspect && suspects.of(lane) >= maxSuspects)
  }

  return {
    get total() {
      return total
    },
    take(request) {
      const { merchantId, lane, suspect = false } = request
      const key = keyOf(request)
      if (isFull(request, key)) return undefined
      const change = (by: 1 | -1): void => {
        total += by
        perEndpoint.add(key, by)
        perMerchant.add(merchantId, by)
        perLane.add(lane, by)
        if (suspect) suspects.add(lane, by)
      }
      if (perEndpoint.of(key) === 0) keepsAllSince.set(key, nowMs())
      change(1)
      let held = true
      return () => {
        if (!held) return
        held = false
        change(-1)
        if (perEndpoint.of(key) > 0) keepsAllSince.set(key, nowMs())
        else keepsAllSince.delete(key)
        inVain.delete(key)
        waiters.wakeFirst(key)
      }
    },
    async freed(request, withinMs) {
      const { lane } = request
      const key = keyOf(request)
      const maxWaiters = Math.max(PATIENT_PER_ENDPOINT, perEndpoint.of(key))
      if (patient.of(lane) >= maxPatient || waiters.of(key) >= maxWaiters || inVain.has(key)) return false
      patient.add(lane, 1)
      const freed = await waiters.wait(key, withinMs)
      patient.add(lane, -1)
      // Without a place nothing would ever be given back.
      if (!freed && perEndpoint.of(key) > 0) inVain.add(key)
      return freed
    },
    keepsAllForMs(endpoint) {
      const since = keepsAllSince.get(keyOf(endpoint))
      // Clocks are set back, too.
      return since === undefined ? 0 : Math.max(0, nowMs() - since)
    },
  }
}

/** One text for a merchant and a URL. */
export function keyOf({ merchantId, url }: EndpointKey): string {
  return JSON.stringify([merchantId, url])
}

/** Counts by key; what is at zero takes no memory. */
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

/** Who waits for what happens to a key: first come, first woken. */
function createWaiters() {
  const byKey = new Map<string, Set<() => void>>()
  return {
    of: (key: string): number => byKey.get(key)?.size ?? 0,
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
    wakeFirst(key: string): void {
      const [first] = byKey.get(key) ?? []
      first?.()
    },
  }
}
