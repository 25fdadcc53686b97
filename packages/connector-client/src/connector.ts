import {
  capabilities,
  CAPABILITIES_PATH,
  downtimes,
  holdsCardNumber,
  NETWORK_DOWNTIMES_PATH,
  type Capabilities,
  type Downtime,
} from '@gateway/contracts'
import { keepAnswer, startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import { createServiceClient, type ServiceClient } from '@gateway/service-kit/http-client'
import { sendWithAxios } from './axios-send.ts'

const TIMEOUT_MS = 5000
const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_SOCKETS = 50

export interface NetworkAddress {
  readonly url: string
  /** Absent only where a check wants to be refused. */
  readonly apiKey?: string
  readonly timeoutMs?: number
  /** Connections at a time; further calls wait for one. 50 by default. */
  readonly maxSockets?: number
  /** Whether calls take the environment's proxy (`NETWORK_PROXY`). Not by default. */
  readonly usesProxy?: boolean
}

/** A client of the network's connector, with connections of its own: slow refunds never delay enquiries. */
export function createNetworkClient(address: NetworkAddress): ServiceClient {
  const { url, apiKey, timeoutMs = TIMEOUT_MS, maxSockets = MAX_SOCKETS, usesProxy = false } = address
  const options = {
    baseUrl: url,
    ...(apiKey !== undefined && { bearer: apiKey }),
    timeoutMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    unavailable: { code: 'network_unavailable', detail: 'The network cannot be reached; try again' },
  } as const
  return createServiceClient(options, sendWithAxios({ maxSockets, usesProxy }))
}

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

/** The downtimes that the network's connector lists; none when it has no such list. Rejects with `Unavailable` when it is away. */
export type FindDowntimes = () => Promise<readonly Downtime[]>

/** An answer is used for `keptMs`, and concurrent callers share one request. A failure is not kept. */
export function createFindDowntimes(
  client: Pick<ServiceClient, 'get' | 'unavailable'>,
  { capabilities, keptMs, now }: { capabilities: Pick<ConnectorCapabilities, 'find'>; keptMs: number; now: () => Date },
): FindDowntimes {
  async function ask(): Promise<readonly Downtime[]> {
    if (!(await capabilities.find()).downtimes) return []
    const { status, data } = await client.get(NETWORK_DOWNTIMES_PATH)
    if (status === 200 && downtimes(data)) return data.filter(namesNoCard)
    throw client.unavailable(`status ${status}`)
  }

  return keepAnswer(ask, { keptMs: () => keptMs, now })
}

/** Pages and merchants see the name of an instrument. Without its name a downtime would stand for the whole method. */
function namesNoCard({ instrument }: Downtime): boolean {
  return !holdsCardNumber(instrument ?? '')
}
