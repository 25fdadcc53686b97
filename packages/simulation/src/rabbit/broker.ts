import type { World } from '../kernel/kernel.ts'
import type { Client, MemorySocket } from '../sockets/memory-socket.ts'
import { Network } from '../sockets/network.ts'
import { BrokerConnection } from './connection.ts'
import { Queues, type BrokerObserver } from './queues.ts'

export interface BrokerOptions extends BrokerObserver {
  /** `host:port` of each node. */
  readonly nodes: readonly string[]
  /** How long a majority takes to have a message, in milliseconds; by default mostly 1 to 4, now and then up to 200. */
  readonly lagMs?: () => number
}

/** A RabbitMQ 4.3 cluster in memory, with quorum queues only, for the real amqplib. */
export class Broker {
  readonly network: Network
  readonly #queues: Queues
  readonly #nodes: readonly string[]
  readonly #lost = new Set<string>()
  readonly #connections = new Set<BrokerConnection>()
  /** How much longer a majority takes to have a message, such as before a node is lost. */
  slowMs = 0

  constructor(world: World, options: BrokerOptions) {
    this.network = new Network(world)
    this.#nodes = options.nodes
    const lagMs = options.lagMs ?? (() => (world.random() < 0.02 ? world.random() * 200 : 1 + world.random() * 3))
    this.#queues = new Queues(world, options, () => lagMs() + this.slowMs)
  }

  /** The URL for clients: the nodes, separated by commas. */
  get url(): string {
    return this.#nodes.map((address) => `amqp://guest:guest@${address}`).join()
  }

  /** Opens a connection to a node, in place of `net.connect`. */
  connect(client: Client, target: string): MemorySocket {
    return this.network.open(client, target, (end) => {
      if (this.#lost.has(target)) return undefined
      const connection = new BrokerConnection(this.#queues, end, () => this.#connections.delete(connection))
      this.#connections.add(connection)
      return connection
    })
  }

  /** A node is lost until `restoreNode`: its connections are reset, and messages that no majority has yet are stored or lost. */
  loseNode(address: string): void {
    if (this.#lost.has(address)) return
    this.#lost.add(address)
    this.network.reset((_client, target) => target === address)
    this.#queues.loseNode()
  }

  restoreNode(address: string): void {
    this.#lost.delete(address)
  }

  /** An alarm: connections that publish are told so with their next message, and not read from then on. */
  block(): void {
    this.#queues.isBlocked = true
  }

  unblock(): void {
    this.#queues.isBlocked = false
    for (const connection of [...this.#connections]) connection.unblock()
  }

  dump(): ReturnType<Queues['dump']> {
    return this.#queues.dump()
  }
}
