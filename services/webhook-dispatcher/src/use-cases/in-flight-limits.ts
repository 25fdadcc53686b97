import { LRUCache } from 'lru-cache'

/** Bounds what is on its way to one endpoint, so that a hanging one never holds what the others need. */
export interface InFlightLimits {
  /** A place, as the function that gives it back; `undefined` when the endpoint has all it may have. */
  take(endpoint: EndpointKey): (() => void) | undefined
  /** The breaker: an endpoint that hangs time after time gets fewer places, until an exchange with it ends in time. */
  note(endpoint: EndpointKey, hung: boolean): void
  readonly total: number
}

/** Merchants do not share places, even when their URLs are the same. */
export interface EndpointKey {
  readonly merchantId: string
  readonly url: string
}

/** A merchant may change its URL often, and old orders keep theirs: more URLs are not more places than these. */
const ENDPOINTS_PER_MERCHANT = 2

const HUNG_IN_A_ROW = 3
/** Of the places: enough to notice soon that the endpoint is back, few enough for many endpoints to hang at once. */
const SHARE_WHILE_HUNG = 0.2
const MAX_REMEMBERED = 10_000

export function createInFlightLimits(maxPerEndpoint: number): InFlightLimits {
  const [perEndpoint, perMerchant] = [createCounter(), createCounter()]
  const hungInARow = new LRUCache<string, number>({ max: MAX_REMEMBERED })
  const maxWhileHung = Math.max(1, Math.floor(maxPerEndpoint * SHARE_WHILE_HUNG))
  let total = 0
  return {
    get total() {
      return total
    },
    take({ merchantId, url }) {
      const key = keyOf({ merchantId, url })
      const max = (hungInARow.get(key) ?? 0) >= HUNG_IN_A_ROW ? maxWhileHung : maxPerEndpoint
      const isFull = perEndpoint.of(key) >= max || perMerchant.of(merchantId) >= ENDPOINTS_PER_MERCHANT * maxPerEndpoint
      if (isFull) return undefined
      perEndpoint.add(key, 1)
      perMerchant.add(merchantId, 1)
      total += 1
      let held = true
      return () => {
        if (!held) return
        held = false
        total -= 1
        perEndpoint.add(key, -1)
        perMerchant.add(merchantId, -1)
      }
    },
    note(endpoint, hung) {
      const key = keyOf(endpoint)
      if (hung) hungInARow.set(key, (hungInARow.get(key) ?? 0) + 1)
      else hungInARow.delete(key)
    },
  }
}

function keyOf({ merchantId, url }: EndpointKey): string {
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
