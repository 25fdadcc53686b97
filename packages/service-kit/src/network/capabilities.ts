import { capabilities, CAPABILITIES_PATH, type Capabilities } from '@gateway/contracts'
import type { ServiceClient } from '../http-client/service-client.ts'
import type { Log } from '../logging/logger.ts'
import type { Stoppable } from '../process/stoppable.ts'
import { startWorker } from '../process/worker.ts'
import { keepAnswer } from '../scheduling/kept-answer.ts'

/** What the network's connector can do (contracts, network-capabilities.ts). */
export interface ConnectorCapabilities {
  /** Asks the connector unless its answer is fresh. Rejects with `Unavailable` only while it has never answered. */
  find(): Promise<Capabilities>
  /** The last answer, without a request; `undefined` while the connector has never answered. */
  latest(): Capabilities | undefined
}

/** How long an answer is used before the connector is asked again, and a tenth of it after a failed request. */
const KEPT_MS = 30_000
const REFRESH_MS = 15_000

/** Concurrent callers share one request. Of several failures in a row only the first is logged. */
export function createConnectorCapabilities(
  client: Pick<ServiceClient, 'get' | 'unavailable'>,
  { now, log }: { now: () => Date; log: Pick<Log, 'warn'> },
): ConnectorCapabilities {
  let latest: Capabilities | undefined
  let isAway = false

  async function ask(): Promise<Capabilities> {
    const { status, data } = await client.get(CAPABILITIES_PATH)
    if (status === 200 && capabilities(data)) return data
    throw client.unavailable(`status ${status}`)
  }

  async function askOrKeep(): Promise<Capabilities> {
    try {
      latest = await ask()
      isAway = false
    } catch (error) {
      if (!isAway) log.warn('capabilities lookup failed', { error })
      isAway = true
      if (!latest) throw error
    }
    return latest
  }

  const keptMs = (): number => (isAway ? KEPT_MS / 10 : KEPT_MS)
  return { find: keepAnswer(askOrKeep, { keptMs, now }), latest: () => latest }
}

/** Keeps `latest()` fresh for readers that cannot wait for the connector. */
export function refreshCapabilities(capabilities: Pick<ConnectorCapabilities, 'find'>, log: Log): Stoppable {
  const step = (): Promise<boolean> =>
    capabilities.find().then(
      () => false,
      // Logged where it happened; the next step asks again.
      () => false,
    )
  return startWorker({ name: 'connector capabilities', log, step, idleMs: REFRESH_MS })
}
