import { isDeepStrictEqual } from 'node:util'
import type { World } from '../kernel/kernel.ts'
import { Unsupported, type Fields } from './codec.ts'
import { DeadLetters } from './dead-letters.ts'
import type { Message, Stored } from './message.ts'
import { Queue, readQueueOptions, type StoreResult } from './queue.ts'

/** What a test may hear of; names of clients are those of `Client`. */
export interface BrokerObserver {
  /** The broker has got a message from a client, and will store it in these queues. */
  readonly onPublish?: (client: string, message: Message, queues: readonly string[]) => void
  readonly onStored?: (queue: string, message: Message) => void
  readonly onDeliver?: (client: string, queue: string, stored: Stored) => void
  /** A client has acknowledged a delivery: the message is gone. */
  readonly onAck?: (client: string, queue: string, message: Message) => void
  /** A message has left its queue, because it expired or was given up. */
  readonly onDead?: (queue: string, message: Message) => void
  /** A client hears nothing of a message that it has published: its node or its channel is lost. */
  readonly onUnconfirmed?: (client: string, message: Message) => void
  /** A client that publishes is told of an alarm. */
  readonly onBlocked?: (client: string) => void
}

/** The exchanges, bindings and quorum queues of a cluster, as every connection sees them. */
export class Queues {
  readonly world: World
  readonly observer: BrokerObserver
  readonly #lagMs: () => number
  readonly #queues = new Map<string, Queue>()
  /** By exchange, then by routing key: the names of the queues. */
  readonly #bindings = new Map<string, Map<string, Set<string>>>()
  readonly #deadLetters: DeadLetters
  /** True while a memory or disk alarm stops publishing. */
  isBlocked = false

  constructor(world: World, observer: BrokerObserver, lagMs: () => number) {
    this.world = world
    this.observer = observer
    this.#lagMs = lagMs
    this.#deadLetters = new DeadLetters(world, lagMs, {
      publish: (message, done) => this.#store(message, this.#route(message), done),
      left: (queue, message) => observer.onDead?.(queue, message),
    })
  }

  declareExchange({ exchange, type }: Fields): void {
    if (type !== 'direct' && type !== 'topic') throw new Unsupported(`exchanges of the type ${String(type)}`)
    if (!this.#bindings.has(String(exchange))) this.#bindings.set(String(exchange), new Map())
  }

  declareQueue(fields: Fields): void {
    const name = String(fields['queue'])
    const options = readQueueOptions(fields)
    const existing = this.#queues.get(name)
    if (existing && !isDeepStrictEqual(existing.options, options)) throw new Unsupported(`the queue ${name} with other arguments`)
    if (existing) return
    const onDead = (stored: Stored): void => this.#deadLetters.push(queue, stored)
    const queue = new Queue(name, options, { world: this.world, lagMs: this.#lagMs, onDead })
    this.#queues.set(name, queue)
  }

  bind(fields: Fields): void {
    const [name, routingKey] = [this.queue(String(fields['queue'])).name, String(fields['routingKey'])]
    if (/[*#]/u.test(routingKey)) throw new Unsupported('patterns of routing keys')
    const bindings = this.#bindingsOf(String(fields['exchange']))
    bindings.set(routingKey, (bindings.get(routingKey) ?? new Set()).add(name))
  }

  queue(name: string): Queue {
    const found = this.#queues.get(name)
    if (!found) throw new Unsupported(`the use of ${name}, which is no queue`)
    return found
  }

  /** Stores a client's message in queues, whose names it returns. `done` hears when all of them have answered; at once without any. */
  publish(client: string, message: Message, done: (result: StoreResult | 'unrouted') => void): void {
    const queues = this.#route(message)
    this.observer.onPublish?.(client, message, queues)
    this.#store(message, queues, done)
  }

  /** A node is lost, with messages that no majority has yet. */
  loseNode(): void {
    for (const queue of this.#queues.values()) queue.loseNode()
    this.#deadLetters.loseNode()
  }

  /** By queue: the messages that are ready, how many are delivered and not acknowledged, and how many on their way to the next queue. */
  dump() {
    const entries = [...this.#queues].map(([name, queue]) => {
      return [name, { ready: queue.messages, unacked: queue.unacked, deadLettering: this.#deadLetters.countOf(queue) }] as const
    })
    return new Map(entries)
  }

  /** The names of the queues that get a message. The exchange without a name routes to the queue that the routing key names. */
  #route({ exchange, routingKey }: Message): string[] {
    const names = exchange === '' ? [routingKey] : [...(this.#bindingsOf(exchange).get(routingKey) ?? [])]
    return names.filter((name) => this.#queues.has(name))
  }

  #bindingsOf(exchange: string): Map<string, Set<string>> {
    const found = this.#bindings.get(exchange)
    if (!found) throw new Unsupported(`the use of ${exchange}, which is no exchange`)
    return found
  }

  #store(message: Message, queues: readonly string[], done: (result: StoreResult | 'unrouted') => void): void {
    if (queues.length === 0) done('unrouted')
    let left = queues.length
    let worst: StoreResult = 'stored'
    for (const name of queues) {
      this.queue(name).store(message, (result) => {
        if (result === 'stored') this.observer.onStored?.(name, message)
        else worst = 'lost'
        left -= 1
        if (left === 0) done(worst)
      })
    }
  }
}
