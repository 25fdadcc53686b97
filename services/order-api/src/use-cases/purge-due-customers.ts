import { setTimeout as sleep } from 'node:timers/promises'
import { MIN_WIDTH_MS, nextWidthMs, nextWindow } from '../domain/purge-window.ts'
import type { Customers } from '../persistence/customers.ts'

/** One bounded step of the purge; true when there may be more to do. */
export type PurgeDueCustomers = () => Promise<boolean>

export interface PurgeObserver {
  purged(count: number): void
  /** Every order created earlier than this has lost its customer. */
  upTo(instant: Date): void
}

interface Dependencies {
  readonly customers: Pick<Customers, 'purgeCreated' | 'purgedUpTo' | 'setPurgedUpTo'>
  readonly retentionMs: number
  readonly observer: PurgeObserver
  readonly now: () => Date
  readonly batch?: number
}

const BATCH = 500
const BEGINNING = new Date(0)

/**
 * Purges the customers of orders that are older than the retention, the oldest first (docs/adr/0010). Replicas may run it at once:
 * a purged order is not purged again, and progress is stored only after the work. It rests as long as it works, so that a shorter
 * retention, which makes years of orders due, does not load the database.
 */
export function makePurgeDueCustomers(dependencies: Dependencies): PurgeDueCustomers {
  const { customers, retentionMs, observer, now, batch = BATCH } = dependencies
  let widthMs = MIN_WIDTH_MS
  return async () => {
    const beganMs = performance.now()
    const at = now()
    const from = (await customers.purgedUpTo()) ?? BEGINNING
    observer.upTo(from)
    const cutoff = new Date(at.getTime() - retentionMs)
    const window = nextWindow(from, cutoff, widthMs)
    if (!window) return false

    const { found, purged } = await customers.purgeCreated(window, batch, at)
    observer.purged(purged)
    const wasFull = found >= batch
    widthMs = nextWidthMs(window, wasFull)
    if (!wasFull) {
      await customers.setPurgedUpTo(window.until)
      observer.upTo(window.until)
    }
    if (found > 0) await sleep(performance.now() - beganMs)
    return wasFull || window.until < cutoff
  }
}
