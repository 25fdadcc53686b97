import { setTimeout as sleep } from 'node:timers/promises'
import { narrowerMs, widerMs } from '@gateway/service-kit'
import type { Customers } from '../persistence/customers.ts'

/** One bounded step of the purge; true when there may be more to do. */
type PurgeDueCustomers = () => Promise<boolean>

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
/** The narrowest window: at 1000 orders a second the database scans 1000 orders for one batch at worst. */
const MIN_WIDTH_MS = 1000
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
    if (from >= cutoff) return false
    const until = new Date(Math.min(cutoff.getTime(), from.getTime() + widthMs))

    const { found, purged } = await customers.purgeCreated({ from, until }, batch, at)
    observer.purged(purged)
    const wasFull = found >= batch
    // The cutoff shortens most windows: a width that grew regardless would never shrink again.
    const lastMs = until.getTime() - from.getTime()
    widthMs = wasFull ? (narrowerMs(lastMs, MIN_WIDTH_MS) ?? MIN_WIDTH_MS) : Math.max(widerMs(lastMs), MIN_WIDTH_MS)
    if (!wasFull) {
      await customers.setPurgedUpTo(until)
      observer.upTo(until)
    }
    if (found > 0) await sleep(performance.now() - beganMs)
    return wasFull || until < cutoff
  }
}
