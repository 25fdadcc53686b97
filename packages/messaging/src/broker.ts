import type { Channel, ChannelModel } from 'amqplib'
import { Fault, type BrokerService } from '@gateway/contracts'
import { keepConnected, Watched, type BrokerState, type Connection, type Log } from './connection.ts'
import { declareAll } from './queue.ts'
import { endReason } from './errors.ts'
import { declarationsOf, everythingOf, type PartitionCounts, type Topology } from './topology.ts'

export interface BrokerOptions {
  /** `amqp://` or `amqps://`, with the virtual host as its path. For a cluster: the URLs of its nodes, separated by commas. */
  readonly url: string
  /** The service's name, shown by the broker's tools. */
  readonly name: string
  readonly log: Log
  /** Declared on every new connection, so that a broker that comes back empty gets its queues again. */
  readonly topology?: Topology
  /** Declares only the part of the topology that this service needs, because its user has no permission for the rest. */
  readonly service?: BrokerService
  /** Read at each new connection; by default one partition. */
  readonly partitions?: () => PartitionCounts
  readonly random?: () => number
}

/**
 * The broker as a service sees it. Publishing and consuming have a connection each: while an alarm is active the broker stops
 * reading from publishing connections, and acknowledgements must not wait for the end of the alarm.
 */
export interface Broker {
  /** `up` when both connections are, `blocked` when an alarm stops publishing. */
  readonly state: BrokerState
  onStateChange(listener: (state: BrokerState) => void): () => void
  readonly publishing: Connection
  readonly consuming: Connection
  /** Closes both connections within about a second. Unacknowledged messages are delivered to other consumers. */
  close(): Promise<void>
}

/**
 * Starts to connect and returns at once, also when the broker is away. It tries again until `close()`, with growing jittered
 * pauses and at the next node of a cluster. Throws only on a URL that is not AMQP.
 */
export function connectBroker(options: BrokerOptions): Broker {
  const { url, name, log, topology, service, partitions, random = Math.random } = options
  const urls = url.split(',').map((node) => node.trim())
  if (!urls.every((node) => /^amqps?:\/\//u.test(node))) throw new TypeError('the broker URL must begin with amqp:// or amqps://')

  const open = (role: string, prepare: (channel: Channel, version: string) => Promise<void>) =>
    keepConnected({
      urls,
      name: `${name} ${role}`,
      log,
      random,
      prepare: async (model) => {
        // Opening a channel also proves that the connection was not closed during its handshake.
        const channel = await model.createChannel()
        channel.on('error', (error) => log.error('broker refused the topology', { connection: name, reason: endReason(error) }))
        await prepare(channel, versionOf(model))
        await channel.close()
      },
    })
  const publishing = open('publish', async (channel, version) => {
    checkVersion(version, log)
    if (topology) await declareAll(channel, service ? declarationsOf(service, topology, partitions?.()) : everythingOf(topology))
  })
  // The consuming connection waits for the declarations, so that no consumer asks for a queue that does not exist yet.
  const consuming = open('consume', async () => {
    await publishing.connected()
  })

  const current = (): BrokerState => (consuming.state === 'down' ? 'down' : publishing.state)
  const state = new Watched<BrokerState>(current())
  for (const link of [publishing, consuming]) link.onStateChange(() => state.set(current()))

  return {
    get state() {
      return state.value
    },
    onStateChange: (listener) => state.watch(listener),
    publishing,
    consuming,
    async close() {
      await Promise.all([publishing.close(), consuming.close()])
    },
  }
}

/** What a version of RabbitMQ means for this system; `reason` says why it is refused or warned about. */
export type VersionVerdict =
  { readonly kind: 'good' } | { readonly kind: 'warn' | 'refuse'; readonly version: string; readonly reason: string }

const REFUSED_BELOW = [4, 0] as const
const WARNED_BELOW = [4, 3] as const

/** Judges a version such as `4.3.1`. A text that is no version, such as another product's, is not judged. */
export function judgeVersion(version: string): VersionVerdict {
  if (isBelow(version, REFUSED_BELOW)) {
    return {
      kind: 'refuse',
      version,
      reason: 'below 4.0 a queue cannot be without a delivery limit, and dead queues would lose messages',
    }
  }
  if (isBelow(version, WARNED_BELOW)) {
    const reason =
      'below 4.3 a returned message counts for the delivery limit: a long outage of a database dead-letters healthy ones'
    return { kind: 'warn', version, reason }
  }
  return { kind: 'good' }
}

/** Throws for a broker that is too old to keep messages safe; logs a warning for one that keeps them less well. */
export function checkVersion(version: string, log: Pick<Log, 'warn' | 'error'>): void {
  const verdict = judgeVersion(version)
  if (verdict.kind === 'good') return
  const { kind, reason } = verdict
  if (kind === 'warn') {
    log.warn('broker version is old', { version, reason })
    return
  }
  log.error('broker version is refused', { version, reason })
  throw new Fault(`RabbitMQ ${version} is refused: ${reason}`)
}

/** The version that a broker names when a connection opens; empty when it names none. */
export function versionOf(model: ChannelModel): string {
  const connection: object = model.connection
  const properties: unknown = 'serverProperties' in connection ? connection.serverProperties : undefined
  const version = typeof properties === 'object' && properties !== null && 'version' in properties ? properties.version : ''
  return typeof version === 'string' ? version : ''
}

function isBelow(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, ofMajor, ofMinor] = /^(\d+)\.(\d+)/u.exec(version) ?? []
  if (ofMajor === undefined) return false
  return Number(ofMajor) < major || (Number(ofMajor) === major && Number(ofMinor) < minor)
}
