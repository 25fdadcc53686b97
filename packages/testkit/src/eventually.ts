import { setTimeout as sleep } from 'node:timers/promises'

export interface EventuallyOptions {
  /** After this many milliseconds the last failure is thrown. */
  readonly deadlineMs?: number
  readonly pauseMs?: number
}

/** Runs a check until it stops throwing, and gives its result: a test waits for a condition, never for a time. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { deadlineMs = 30_000, pauseMs = 10 }: EventuallyOptions = {},
): Promise<T> {
  const endsAt = performance.now() + deadlineMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() >= endsAt) throw error
    }
    await sleep(pauseMs)
  }
}
