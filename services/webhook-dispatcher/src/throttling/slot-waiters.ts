/** Callers that wait in memory for the next released slot of an endpoint, first in, first out. */
export function createSlotWaiters() {
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
