export interface RecentEndpoints {
  add(endpointId: string): void
  /** At most this many, the most recent last. */
  latest(atMost: number): string[]
}

/** The ids of endpoints that were looked up in the last `withinMs`. */
export function createRecentEndpoints(withinMs: number, nowMs: () => number): RecentEndpoints {
  /** Ordered by time: each `add` moves its endpoint to the end. */
  const lastAskedMs = new Map<string, number>()
  return {
    add(endpointId) {
      lastAskedMs.delete(endpointId)
      lastAskedMs.set(endpointId, nowMs())
    },
    latest(atMost) {
      const since = nowMs() - withinMs
      for (const [endpointId, atMs] of lastAskedMs) {
        if (atMs > since) break
        lastAskedMs.delete(endpointId)
      }
      return [...lastAskedMs.keys()].slice(-atMost)
    },
  }
}
