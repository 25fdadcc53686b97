import { isDeepStrictEqual } from 'node:util'
import type { World } from '../kernel/world.ts'
import type { Client, MemorySocket } from '../sockets/memory-socket.ts'
import { Network } from '../sockets/network.ts'
import type { BrokerHost } from './broker-host.ts'
import type { BrokerObserver, BrokerOptions, QueueDump } from './broker-options.ts'
import { BrokerConnection } from './connection.ts'
import { DeadLetters } from './dead-letters.ts'
import { noQueue, Unsupported } from './errors.ts'
import { Exchanges } from './exchanges.ts'
import type { Message } from './message.ts'
import { Queue } from './queue.ts'
import { readQueueOptions } from './queue-options.ts'
import { Storage, type StoreResult } from './storage.ts'
import type { Fields } from './codec.ts'

export type { BrokerObserver } from './broker-options.ts'

interface Kept {
  readonly queue: Queue
  readonly storage: Storage
  unacked: number
}

/** A RabbitMQ 4.3 cluster in memory, with quorum queues only, for the real amqplib. */
export class Broker implements BrokerHost {
  readonly network: Network
  readonly exchanges = new Exchanges()
  readonly observer: BrokerObserver
  readonly world: World
  readonly #nodes: ReadonlyMap<string, { isUp: boolean }>
  readonly #lagMs: () => number
  readonly #queues = new Map<string, Kept>()
  readonly #connections = new Set<BrokerConnection>()
  readonly #deadLetters: DeadLetters
  #isBlocked = false
  /** How much longer a majority takes to have a message, such as before a node is lost. */
  slowMs = 0

  constructor(world: World, options: BrokerOptions) {
    this.world = world
    this.observer = options
    this.network = new Network(world)
    this.#nodes = new Map(options.nodes.map((address) => [address, { isUp: true }]))
    const lagMs = options.lagMs ?? (() => (world.random() < 0.02 ? world.random() * 200 : 1 + world.random() * 3))
    this.#lagMs = () => lagMs() + this.slowMs
    this.#deadLetters = new DeadLetters(world, this.#lagMs, {
      publish: (message, done) => this.#store(message, this.route(message), done),
      left: (queue, { message }) => options.onDead?.(queue.name, message),
    })
  }

  /** The URL for clients: the nodes, separated by commas. */
  get url(): string {
    return [...this.#nodes.keys()].map((address) => `amqp://guest:guest@${address}`).join()
  }

  get isBlocked(): boolean {
    return this.#isBlocked
  }

  /** Opens a connection to a node, in place of `net.connect`. */
  connect(client: Client, target: string): MemorySocket {
    return this.network.open(client, target, (end) => {
      if (this.#nodes.get(target)?.isUp !== true) return undefined
      const connection = new BrokerConnection(this, end, () => this.#connections.delete(connection))
      this.#connections.add(connection)
      return connection
    })
  }

  /** A node is lost until `restoreNode`: its connections are reset, and messages that no majority has yet are stored or lost. */
  loseNode(address: string): void {
    const node = this.#nodes.get(address)
    if (!node?.isUp) return
    node.isUp = false
    this.network.reset((_client, target) => target === address)
    for (const { storage } of this.#queues.values()) storage.loseNode()
    this.#deadLetters.loseNode()
  }

  restoreNode(address: string): void {
    const node = this.#nodes.get(address)
    if (node) node.isUp = true
  }

  /** An alarm: connections that publish are told so with their next message, and not read from then on. */
  block(): void {
    this.#isBlocked = true
  }

  unblock(): void {
    this.#isBlocked = false
    for (const connection of [...this.#connections]) connection.unblock()
  }

  /** Everything that is stored, by queue. */
  dump(): ReadonlyMap<string, QueueDump> {
    const entries = [...this.#queues].map(([name, { queue, unacked }]): [string, QueueDump] => {
      const ready = queue.messages.map(({ message }) => message)
      return [name, { ready, unacked, deadLettering: this.#deadLetters.countOf(queue) }]
    })
    return new Map(entries)
  }

  declareQueue(fields: Fields): Queue {
    const name = String(fields['queue'])
    const existing = this.#queues.get(name)
    if (fields['passive'] === true) return this.queue(name)
    const options = readQueueOptions(fields)
    if (existing) {
      if (!isDeepStrictEqual(existing.queue.options, options)) throw new Unsupported(`the queue ${name} with other arguments`)
      return existing.queue
    }
    const queue = new Queue(this.world, name, options, (stored) => this.#deadLetters.push(queue, stored))
    this.#queues.set(name, { queue, storage: new Storage(this.world, this.#lagMs, queue), unacked: 0 })
    return queue
  }

  queue(name: string): Queue {
    const found = this.#queues.get(name)
    if (!found) throw noQueue(name)
    return found.queue
  }

  countUnacked(queue: Queue, by: 1 | -1): void {
    const kept = this.#queues.get(queue.name)
    if (kept?.queue === queue) kept.unacked += by
  }

  route({ exchange, routingKey }: Pick<Message, 'exchange' | 'routingKey'>): string[] {
    return this.exchanges.route(exchange, routingKey).filter((name) => this.#queues.has(name))
  }

  publish(client: string, message: Message, done: (result: StoreResult | 'unrouted') => void): string[] {
    const queues = this.route(message)
    this.observer.onPublish?.(client, message, queues)
    this.#store(message, queues, done)
    return queues
  }

  #store(message: Message, queues: readonly string[], done: (result: StoreResult | 'unrouted') => void): void {
    if (queues.length === 0) done('unrouted')
    let left = queues.length
    let worst: StoreResult = 'stored'
    for (const name of queues) {
      const finish = (result: StoreResult): void => {
        if (result === 'stored') this.observer.onStored?.(name, message)
        else worst = 'lost'
        left -= 1
        if (left === 0) done(worst)
      }
      this.#queues.get(name)?.storage.store(message, finish)
    }
  }
}
