import type { World } from '../kernel/kernel.ts'

/** A world for tests of the models alone, without the kernel: virtual time, seeded randomness, no simulated process. */
export interface VirtualWorld extends World {
  /** Lets so many virtual milliseconds pass. Streams get their turn between events, so drivers can answer. */
  readonly advance: (ms: number) => Promise<void>
  /** Lets virtual time pass until a promise is settled; rejects after `withinMs`. */
  readonly until: <T>(promise: Promise<T>, withinMs?: number) => Promise<T>
}

interface Event {
  readonly at: number
  readonly number: number
  readonly run: () => void
}

/** The same seed makes the same world. */
export function createVirtualWorld(seed = 1, startMs = 1_700_000_000_000): VirtualWorld {
  let now = startMs
  let count = 0
  const events = new Set<Event>()
  const random = seeded(seed)

  function next(): Event | undefined {
    let first: Event | undefined
    for (const event of events)
      if (!first || event.at < first.at || (event.at === first.at && event.number < first.number)) first = event
    return first
  }

  /** Runs the next event, if it is due by then. */
  function step(end: number): boolean {
    const event = next()
    if (!event || event.at > end) return false
    events.delete(event)
    now = Math.max(now, event.at)
    event.run()
    return true
  }

  async function advance(ms: number): Promise<void> {
    const end = now + ms
    do await turn()
    while (step(end))
    now = end
  }

  return {
    now: () => now,
    after(ms, run) {
      const event = { at: now + Math.max(0, ms), number: (count += 1), run }
      events.add(event)
      return () => void events.delete(event)
    },
    random,
    advance,
    async until(promise, withinMs = 600_000) {
      const end = now + withinMs
      const settled = { is: false }
      const result = promise.finally(() => {
        settled.is = true
      })
      result.catch(() => undefined)
      await turn()
      while (!settled.is) {
        if (!step(end)) throw new Error(`not settled within ${withinMs} virtual ms`)
        await turn()
      }
      return result
    },
  }
}

/** Everything that streams and promises do before the next event: several turns, since each may start the next. */
async function turn(): Promise<void> {
  for (let count = 0; count < 8; count++) await new Promise((resolve) => setImmediate(resolve))
}

/** mulberry32. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
