import { isDeepStrictEqual } from 'node:util'
import type { World } from '../kernel/kernel.ts'
import { ChannelError, Unsupported, type Fields } from './codec.ts'
import { DeadLetters } from './dead-letters.ts'
import { Exchange } from './exchange.ts'
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
  /** A queue was deleted, with so many messages that were not acknowledged. */
  readonly onDeleted?: (queue: string, messages: number) => void
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
  readonly #exchanges = new Map<string, Exchange>()
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

  declareExchange(fields: Fields): void {
    const name = String(fields['exchange'])
    const [existing, declared] = [this.#exchanges.get(name), new Exchange(fields)]
    if (existing && (existing.type !== declared.type || existing.isInternal !== declared.isInternal))
      throw new Unsupported(`the exchange ${name} with other properties`)
    if (!existing) this.#exchanges.set(name, declared)
  }

  /** Returns the queue; a passive declaration creates none. */
  declareQueue(fields: Fields): Queue {
    const name = String(fields['queue'])
    if (fields['passive'] === true) return this.queue(name, 'QueueDeclare')
    const options = readQueueOptions(fields)
    const existing = this.#queues.get(name)
    if (existing && !isDeepStrictEqual(existing.options, options)) throw new Unsupported(`the queue ${name} with other arguments`)
    if (existing) return existing
    const onDead = (stored: Stored): void => this.#deadLetters.push(queue, stored)
    const queue = new Queue(name, options, { world: this.world, lagMs: this.#lagMs, onDead })
    this.#queues.set(name, queue)
    return queue
  }

  /** Deletes a queue with its messages, if there is one. Returns how many were ready. */
  deleteQueue({ queue: given, ifUnused, ifEmpty }: Fields): number {
    if (ifUnused === true || ifEmpty === true) throw new Unsupported('the conditional deletion of quorum queues')
    const queue = this.#queues.get(String(given))
    if (!queue) return 0
    const { name, messages } = queue
    this.#queues.delete(name)
    for (const exchange of this.#exchanges.values()) exchange.forget({ kind: 'queue', name })
    const lost = queue.delete() + this.#deadLetters.drop(queue)
    this.observer.onDeleted?.(name, lost)
    return messages.length
  }

  bindQueue({ queue, exchange, routingKey }: Fields): void {
    const { name } = this.queue(String(queue), 'QueueBind')
    this.#exchange(String(exchange)).bind(String(routingKey), { kind: 'queue', name })
  }

  unbindQueue({ queue, exchange, routingKey }: Fields): void {
    this.#exchange(String(exchange)).unbind(String(routingKey), { kind: 'queue', name: String(queue) })
  }

  bindExchange({ destination, source, routingKey }: Fields): void {
    this.#exchange(String(destination))
    this.#exchange(String(source)).bind(String(routingKey), { kind: 'exchange', name: String(destination) })
  }

  unbindExchange({ destination, source, routingKey }: Fields): void {
    this.#exchange(String(source)).unbind(String(routingKey), { kind: 'exchange', name: String(destination) })
  }

  /** @param method the one of the client that names the queue: without such a queue it closes the channel */
  queue(name: string, method: string): Queue {
    const found = this.#queues.get(name)
    if (!found) throw new ChannelError(404, `no queue '${name}' in vhost '/'`, method)
    return found
  }

  /**
   * Stores a client's message in queues. `done` hears when all of them have answered; at once without any. A message that is mandatory
   * must have one.
   */
  publish(
    client: string,
    message: Message,
    { isMandatory, done }: { readonly isMandatory: boolean; readonly done: (result: StoreResult | 'unrouted') => void },
  ): void {
    if (this.#exchanges.get(message.exchange)?.isInternal) throw new Unsupported('messages of clients to internal exchanges')
    const queues = this.#route(message)
    if (queues.length > 0 || !isMandatory) this.observer.onPublish?.(client, message, queues)
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
    if (exchange === '') return this.#queues.has(routingKey) ? [routingKey] : []
    const [queues, seen] = [new Set<string>(), new Set([exchange])]
    // The set grows while it is walked through.
    for (const one of seen)
      for (const { kind, name } of this.#exchange(one).routesOf(routingKey)) (kind === 'queue' ? queues : seen).add(name)
    return [...queues]
  }

  #exchange(name: string): Exchange {
    const found = this.#exchanges.get(name)
    if (!found) throw new Unsupported(`the use of ${name}, which is no exchange`)
    return found
  }

  #store(message: Message, queues: readonly string[], done: (result: StoreResult | 'unrouted') => void): void {
    if (queues.length === 0) done('unrouted')
    let left = queues.length
    let worst: StoreResult = 'stored'
    for (const name of queues) {
      this.#queues.get(name)?.store(message, (result) => {
        if (result === 'stored') this.observer.onStored?.(name, message)
        else worst = 'lost'
        left -= 1
        if (left === 0) done(worst)
      })
    }
  }
}
