import { setTimeout as sleep } from 'node:timers/promises'

/** As many callers as `concurrency`, each calling again as soon as it has its answer. */
export async function runClosed(
  { concurrency, durationMs }: { readonly concurrency: number; readonly durationMs: number },
  call: () => Promise<void>,
): Promise<void> {
  const endsAt = performance.now() + durationMs
  const caller = async (): Promise<void> => {
    while (performance.now() < endsAt) await call()
  }
  await Promise.all(Array.from({ length: concurrency }, caller))
}

const TICK_MS = 4
/** Above it a call is counted as not made: the client's memory is bounded, too. */
const MAX_WAITING = 4000

/** So many calls a second, evenly, however long the answers take; resolves with how many were not made. */
export async function runOpen(
  { perSecond, durationMs }: { readonly perSecond: number; readonly durationMs: number },
  call: () => Promise<void>,
): Promise<number> {
  const startedAt = performance.now()
  const total = Math.round((perSecond * durationMs) / 1000)
  const running = new Set<Promise<void>>()
  let [started, notSent] = [0, 0]
  while (started < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) * perSecond) / 1000) + 1)
    for (; started < due; started++) {
      if (running.size >= MAX_WAITING) {
        notSent += 1
        continue
      }
      const done = call().finally(() => running.delete(done))
      running.add(done)
    }
    await sleep(TICK_MS)
  }
  await Promise.all(running)
  return notSent
}
