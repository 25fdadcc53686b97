import type { Downtime } from '@gateway/contracts'
import { startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import {
  createConnectorCapabilities,
  createFindDowntimes,
  createNetworkClient,
  type NetworkAddress,
} from '@gateway/connector-client'

/** The downtimes as the connector last listed them. Reading them never waits. */
export interface DowntimeWatch extends Stoppable {
  current(): readonly Downtime[]
}

/** Asks the connector at intervals, by a client of its own. While it is away its last list stays, and that is logged once. */
export function watchDowntimes(
  address: NetworkAddress,
  { log, now, everyMs }: { log: Log; now: () => Date; everyMs: number },
): DowntimeWatch {
  const client = createNetworkClient(address)
  const capabilities = createConnectorCapabilities(client, { now, log })
  const find = createFindDowntimes(client, { capabilities, keptMs: 0, now })
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
