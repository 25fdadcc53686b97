import { setTimeout as sleep } from 'node:timers/promises'

/** Closed loop: each caller calls again as soon as it has its answer. */
export interface Callers {
  readonly concurrency: number
  readonly durationMs: number
}

/** Resolves when every caller has its last answer. */
export async function runCallers({ concurrency, durationMs }: Callers, call: () => Promise<unknown>): Promise<void> {
  const endsAt = performance.now() + durationMs
  const caller = async (): Promise<void> => {
    while (performance.now() < endsAt) await call()
  }
  await Promise.all(Array.from({ length: concurrency }, caller))
}

/** Open loop: calls start at a rate, however long the answers take. */
export interface Pace {
  readonly perSecond: number
  /** `Infinity` runs until `isStopped`. */
  readonly durationMs: number
  readonly isStopped?: () => boolean
  /** Calls that may wait for their answers at once. Further ones are not made: the memory of the load is bounded, too. */
  readonly maxWaiting?: number
}

const TICK_MS = 4
const MAX_WAITING = 4000

/** Resolves when every call is answered, with the number of calls that were not made. */
export async function runPaced(pace: Pace, call: (index: number) => Promise<unknown>): Promise<number> {
  const { perSecond, durationMs, isStopped = () => false, maxWaiting = MAX_WAITING } = pace
  const startedAt = performance.now()
  const total = Math.round((perSecond * durationMs) / 1000)
  const waiting = new Set<Promise<unknown>>()
  let [started, notSent] = [0, 0]
  while (started < total && !isStopped()) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) * perSecond) / 1000) + 1)
    for (; started < due; started++) {
      if (waiting.size >= maxWaiting) {
        notSent += 1
        continue
      }
      const done = call(started).finally(() => waiting.delete(done))
      waiting.add(done)
    }
    await sleep(TICK_MS)
  }
  await Promise.all(waiting)
  return notSent
}
