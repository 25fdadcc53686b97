import type { Channel } from 'amqplib'
import { keepConnected, type BrokerState, type Connection } from './connection.ts'
import type { Log } from './log.ts'
import { checkVersion, versionOf } from './broker-version.ts'
import type { BrokerService } from '@gateway/contracts'
import { declareAll } from './declare.ts'
import { endReason } from './end-reason.ts'
import { declarationsOf, everythingOf, type Topology } from './topology.ts'
import { Watched } from './watched.ts'

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
export function connectBroker({ url, name, log, topology, service, random = Math.random }: BrokerOptions): Broker {
  const urls = url.split(',').map((node) => node.trim())
  if (!urls.every((node) => /^amqps?:\/\//u.test(node))) throw new TypeError('the broker URL must begin with amqp:// or amqps://')

  const declared = topology && (service ? declarationsOf(service, topology) : everythingOf(topology))
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
    if (declared) await declareAll(channel, declared)
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
