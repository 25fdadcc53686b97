import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './stack.ts'

export interface Settled {
  /** How long it took until every event had come, in milliseconds; the deadline when some did not. */
  readonly afterMs: number
  /** Events that had not come by the deadline. */
  readonly missing: readonly string[]
}

const LOOK_EVERY_MS = 50

/** Waits until the receiver has every one of these events, or the deadline. */
export async function settle({ receiver }: Bench, eventIds: readonly string[], deadlineMs: number): Promise<Settled> {
  const startedMs = performance.now()
  for (;;) {
    const afterMs = performance.now() - startedMs
    // Counting is cheap; which ones are missing is asked when the count says that none is, or at the end.
    const { count } = await receiver.call({ kind: 'count' })
    if (count >= eventIds.length || afterMs > deadlineMs) {
      const { missing = [] } = await receiver.call({ kind: 'missing', eventIds })
      if (missing.length === 0 || afterMs > deadlineMs) return { afterMs, missing }
    }
    await sleep(LOOK_EVERY_MS)
  }
}

/** The event of a transaction's `sequence`-th status. */
export function eventIds(transactionIds: readonly string[], sequence: number): string[] {
  return transactionIds.map((id) => `${id}.${sequence}`)
}
