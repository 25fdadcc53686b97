import type { World } from '../kernel/world.ts'
import type { Message, Stored } from './message.ts'
import type { QueueOptions } from './queue-options.ts'

/** A consumer of one queue, as the queue sees it. */
export interface QueueConsumer {
  /** Deliveries that are not settled; a cancelled consumer counts until it has none. */
  readonly unacked: number
  /** False while it has as many deliveries as its prefetch allows. */
  canTake(): boolean
  deliver(stored: Stored): void
}

/** Messages that are taken out of a queue to be dead-lettered, or dropped when it has no dead-letter exchange. */
type OnDead = (stored: Stored) => void

/**
 * A quorum queue: messages that are ready, in their order, and consumers that take turns. Messages that were given back come before
 * the others. Source: https://www.rabbitmq.com/docs/quorum-queues
 */
export class Queue {
  readonly name: string
  readonly options: QueueOptions
  readonly #world: World
  readonly #onDead: OnDead
  #returned: Stored[] = []
  #ready: Stored[] = []
  #consumers: QueueConsumer[] = []
  /** Those that may take a message, in the order of their turns; one that could take none for a while is the last again. */
  #turns: QueueConsumer[] = []
  /** Cancelled by their clients. */
  #leaving: QueueConsumer[] = []
  #watched: Stored | undefined
  #stopWatching: (() => void) | undefined

  constructor(world: World, name: string, options: QueueOptions, onDead: OnDead) {
    this.#world = world
    this.name = name
    this.options = options
    this.#onDead = onDead
  }

  /** Messages that a consumer could get now. */
  get messageCount(): number {
    return this.#returned.length + this.#ready.length
  }

  get consumerCount(): number {
    this.#leaving = this.#leaving.filter(({ unacked }) => unacked > 0)
    return this.#consumers.length + this.#leaving.length
  }

  /** The messages that are ready, in the order in which they will be delivered. */
  get messages(): readonly Stored[] {
    return [...this.#returned, ...this.#ready]
  }

  enqueue(message: Message): void {
    const expiresAt = this.#world.now() + this.options.ttlMs
    this.#ready.push({ message, acquired: 0, deliveries: message.deliveries ?? 0, expiresAt })
    this.pump()
  }

  /**
   * A consumer gives a message back. Since RabbitMQ 4.3 the end of its channel counts for the delivery limit; `basic.nack` does not.
   */
  giveBack(stored: Stored, { counts }: { readonly counts: boolean }): void {
    stored.acquired += 1
    if (counts) stored.deliveries += 1
    if (stored.deliveries > this.options.deliveryLimit) this.#onDead(stored)
    else this.#returned.push(stored)
  }

  addConsumer(consumer: QueueConsumer): void {
    this.#consumers.push(consumer)
  }

  removeConsumer(consumer: QueueConsumer): void {
    this.#consumers = this.#consumers.filter((one) => one !== consumer)
    this.#turns = this.#turns.filter((one) => one !== consumer)
    this.#leaving.push(consumer)
  }

  /** Delivers as long as there are messages and consumers that may take them; consumers take turns. */
  pump(): void {
    this.#expireHeads()
    for (const consumer of this.#consumers) if (consumer.canTake() && !this.#turns.includes(consumer)) this.#turns.push(consumer)
    while (this.messageCount > 0) {
      const consumer = this.#turns.shift()
      const stored = consumer && this.#takeHead()
      if (!stored) break
      consumer.deliver(stored)
      if (consumer.canTake()) this.#turns.push(consumer)
    }
    this.#watchHead()
  }

  /** Only the message at the head expires: one behind it waits, also past its time. */
  #expireHeads(): void {
    for (let head = this.#head; head && head.expiresAt <= this.#world.now(); head = this.#head) {
      this.#takeHead()
      this.#onDead(head)
    }
  }

  get #head(): Stored | undefined {
    return this.#returned[0] ?? this.#ready[0]
  }

  #takeHead(): Stored | undefined {
    return this.#returned.shift() ?? this.#ready.shift()
  }

  #watchHead(): void {
    const head = this.#head
    if (head === this.#watched) return
    this.#stopWatching?.()
    this.#watched = head
    this.#stopWatching = undefined
    if (!head || head.expiresAt === Infinity) return
    this.#stopWatching = this.#world.after(Math.max(0, head.expiresAt - this.#world.now()), () => {
      this.#watched = undefined
      this.pump()
    })
  }
}
