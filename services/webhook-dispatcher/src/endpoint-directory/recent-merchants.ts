export interface RecentMerchants {
  add(merchantId: string): void
  /** At most this many, the most recent last. */
  latest(atMost: number): string[]
}

/** The merchants whose endpoint was asked for in the last `withinMs`. */
export function createRecentMerchants(withinMs: number, nowMs: () => number): RecentMerchants {
  /** Ordered by time: each `add` moves its merchant to the end. */
  const lastAskedMs = new Map<string, number>()
  return {
    add(merchantId) {
      lastAskedMs.delete(merchantId)
      lastAskedMs.set(merchantId, nowMs())
    },
    latest(atMost) {
      const since = nowMs() - withinMs
      for (const [merchantId, atMs] of lastAskedMs) {
        if (atMs > since) break
        lastAskedMs.delete(merchantId)
      }
      return [...lastAskedMs.keys()].slice(-atMost)
    },
  }
}
