/** Bounds what is on its way to one endpoint, so that a hanging one never holds what the others need. */
export interface InFlightLimits {
  /** A place, as the function that gives it back; `undefined` when the endpoint has all it may have. */
  take(endpoint: EndpointKey): (() => void) | undefined
  readonly total: number
}

/** Merchants do not share places, even when their URLs are the same. */
export interface EndpointKey {
  readonly merchantId: string
  readonly url: string
}

export function createInFlightLimits(maxPerEndpoint: number): InFlightLimits {
  const counts = new Map<string, number>()
  let total = 0
  return {
    get total() {
      return total
    },
    take({ merchantId, url }) {
      const key = JSON.stringify([merchantId, url])
      const count = counts.get(key) ?? 0
      if (count >= maxPerEndpoint) return undefined
      counts.set(key, count + 1)
      total += 1
      let held = true
      return () => {
        if (!held) return
        held = false
        total -= 1
        const left = (counts.get(key) ?? 1) - 1
        if (left === 0) counts.delete(key)
        else counts.set(key, left)
      }
    },
  }
}
