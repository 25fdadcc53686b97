import type { Channel } from 'amqplib'
import { keepConnected, type BrokerState, type Link } from './link.ts'
import type { Log } from './log.ts'
import { declareTopology, type Topology } from './topology.ts'
import { Watched } from './watched.ts'

export interface BrokerOptions {
  /** `amqp://` or `amqps://`, with the virtual host in its path; of a cluster, those of its nodes, separated by commas. */
  readonly url: string
  /** The service's name, shown by the broker's tools. */
  readonly name: string
  readonly log: Log
  /** Declared again on every new connection: a broker that comes back empty gets its queues back. */
  readonly topology?: Topology
  readonly random?: () => number
}

/**
 * The broker as a service sees it. Publishing and consuming have a connection each, since the broker stops reading from
 * a publishing connection when an alarm is up, and acknowledgements must not wait behind that.
 */
export interface Broker {
  /** `up` when both connections are, `blocked` when an alarm stops publishing. */
  readonly state: BrokerState
  onStateChange(listener: (state: BrokerState) => void): () => void
  readonly publishing: Link
  readonly consuming: Link
  /** Ends both connections within about a second; what was not acknowledged is delivered again to others. */
  close(): Promise<void>
}

/**
 * Starts to connect and returns at once, whether or not the broker is there: it is tried again, with growing jittered
 * pauses and at the next node of a cluster, until `close()`. Throws only on a URL that is not AMQP.
 */
export function connectBroker({ url, name, log, topology, random = Math.random }: BrokerOptions): Broker {
  const urls = url.split(',').map((node) => node.trim())
  if (!urls.every((node) => /^amqps?:\/\//u.test(node))) throw new TypeError('the broker URL must begin with amqp:// or amqps://')

  const open = (role: string, prepare: (channel: Channel) => Promise<void>) =>
    keepConnected({
      urls,
      name: `${name} ${role}`,
      log,
      random,
      prepare: async (model) => {
        // Opening a channel also proves that the connection lives: see keepConnected.
        const channel = await model.createChannel()
        channel.on('error', (error) => log.error('broker refused the topology', { connection: name, reason: error.message }))
        await prepare(channel)
        await channel.close()
      },
    })
  const publishing = open('publish', async (channel) => {
    if (topology) await declareTopology(channel, topology)
  })
  // One of the two declares; the other waits for it, so that no consumer looks for a queue that is still being made.
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
