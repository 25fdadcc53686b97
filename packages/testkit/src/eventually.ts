import { setTimeout as sleep } from 'node:timers/promises'

export interface EventuallyOptions {
  /** After this many milliseconds the last failure is thrown. */
  readonly deadlineMs?: number
  /** The pause between the first checks; it grows to 50 ms while the wait lasts. */
  readonly pauseMs?: number
}

/** Frequent checks take CPU from the services that the test waits for. */
const LONGEST_PAUSE_MS = 50

/** Runs a check until it stops throwing, and gives its result: a test waits for a condition, never for a time. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { deadlineMs = 30_000, pauseMs = 10 }: EventuallyOptions = {},
): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() - startedAt >= deadlineMs) throw error
    }
    const waitedMs = performance.now() - startedAt
    await sleep(Math.max(pauseMs, Math.min(waitedMs / 10, LONGEST_PAUSE_MS)))
  }
}
