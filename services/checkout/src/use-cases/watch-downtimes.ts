import type { Downtime } from '@gateway/contracts'
import { startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import type { FindDowntimes } from '@gateway/service-kit/network'

/** The downtimes as the connector last listed them. Reading them never waits. */
export interface DowntimeWatch extends Stoppable {
  current(): readonly Downtime[]
}

/** Asks the connector at intervals. While it is away its last list stays, and that is logged once. */
export function watchDowntimes(options: { find: FindDowntimes; log: Log; everyMs: number }): DowntimeWatch {
  const { find, log, everyMs } = options
  let current: readonly Downtime[] = []
  let isAway = false
  const step = async (): Promise<boolean> => {
    try {
      current = await find()
      isAway = false
    } catch (error) {
      if (!isAway) log.warn('downtimes lookup failed', { error })
      isAway = true
    }
    return false
  }
  return { ...startWorker({ name: 'downtimes', log, step, idleMs: everyMs }), current: () => current }
}
