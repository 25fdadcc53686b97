import type { World } from '../kernel/kernel.ts'
import { Unsupported, type Fields } from './codec.ts'
import type { Message, Stored } from './message.ts'

/** What the arguments of a quorum queue say. */
export interface QueueOptions {
  /** The message is dead-lettered with one more; `Infinity` without a limit. */
  readonly deliveryLimit: number
  readonly ttlMs: number
  readonly deadLetter: { readonly exchange: string; readonly routingKey: string | undefined } | undefined
}

/** The limit of RabbitMQ 4 when a queue does not name one. */
const DEFAULT_DELIVERY_LIMIT = 20

/** Throws on anything but a durable quorum queue that refuses messages when it is full, and dead-letters at least once. */
export function readQueueOptions({ arguments: given, durable, exclusive, autoDelete }: Fields): QueueOptions {
  const {
    'x-queue-type': type,
    'x-overflow': overflow,
    'x-delivery-limit': limit = DEFAULT_DELIVERY_LIMIT,
    'x-message-ttl': ttlMs = Infinity,
    'x-dead-letter-exchange': exchange,
    'x-dead-letter-routing-key': routingKey,
    'x-dead-letter-strategy': strategy,
    // The model has no nodes to choose from.
    'x-queue-leader-locator': _leader,
    ...others
  } = (given ?? {}) as Fields
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Unsupported(`the queue argument ${unknown}`)
  if (type !== 'quorum' || overflow !== 'reject-publish' || durable !== true || exclusive === true || autoDelete === true)
    throw new Unsupported('queues other than durable quorum queues that reject when they are full')
  if (exchange !== undefined && strategy !== 'at-least-once') throw new Unsupported('dead-lettering at most once')
  return {
    deliveryLimit: Number(limit) < 0 ? Infinity : Number(limit),
    ttlMs: Number(ttlMs),
    deadLetter: typeof exchange === 'string' ? { exchange, routingKey: routingKey as string | undefined } : undefined,
  }
}

/** A consumer of one queue, as the queue sees it. */
export interface QueueConsumer {
  /** False while it has as many deliveries as its prefetch allows. */
  canTake(): boolean
  /** Deliveries that are not settled. */
  readonly unacked: number
  /** The queue was deleted: it gets nothing more. */
  cancelled(): void
  deliver(stored: Stored): void
}

/** What becomes of a message that a queue was given: stored, or lost with a node. */
export type StoreResult = 'stored' | 'lost'

interface Pending {
  readonly message: Message
  readonly done: (result: StoreResult) => void
}

/**
 * A quorum queue: messages that a majority of the nodes does not have yet, messages that are ready, in their order, and consumers that
 * take turns. Messages that were given back come before the others. Source: https://www.rabbitmq.com/docs/quorum-queues
 */
export class Queue {
  readonly name: string
  readonly options: QueueOptions
  readonly #world: World
  readonly #lagMs: () => number
  /** Gets messages that expired or were given back too often: to be dead-lettered, or dropped without a dead-letter exchange. */
  readonly #onDead: (stored: Stored) => void
  #pending: Pending[] = []
  #lastStoredAt = 0
  /** Raised when a node is lost: what was on its way by then is settled. */
  #epoch = 0
  #returned: Stored[] = []
  #ready: Stored[] = []
  #consumers: QueueConsumer[] = []
  /** Those that may take a message, in the order of their turns; one that could take none for a while is the last again. */
  #turns: QueueConsumer[] = []
  #watched: Stored | undefined
  #stopWatching: (() => void) | undefined
  #isDeleted = false
  /** Consumers that are gone, as far as they hold messages. */
  #cancelled: QueueConsumer[] = []
  /** Deliveries that are not acknowledged. */
  unacked = 0

  constructor(
    name: string,
    options: QueueOptions,
    host: { readonly world: World; readonly lagMs: () => number; readonly onDead: (stored: Stored) => void },
  ) {
    this.name = name
    this.options = options
    this.#world = host.world
    this.#lagMs = host.lagMs
    this.#onDead = host.onDead
  }

  /** The messages that are ready, in the order in which they will be delivered. */
  get messages(): readonly Message[] {
    return [...this.#returned, ...this.#ready].map(({ message }) => message)
  }

  /** Stores a message when a majority of the nodes has it, in the order of arrival. */
  store(message: Message, done: (result: StoreResult) => void): void {
    const now = this.#world.now()
    this.#pending.push({ message, done })
    this.#lastStoredAt = Math.max(this.#lastStoredAt, now + this.#lagMs())
    const epoch = this.#epoch
    this.#world.after(this.#lastStoredAt - now, () => {
      // The oldest, whichever event of this moment runs first.
      const oldest = epoch === this.#epoch ? this.#pending.shift() : undefined
      if (oldest) this.#enqueue(oldest)
    })
  }

  /** A node is lost: each message that no majority has yet is stored or lost, as chance will have it. */
  loseNode(): void {
    this.#epoch += 1
    for (const pending of this.#pending.splice(0)) {
      if (this.#world.random() < 0.5) this.#enqueue(pending)
      else pending.done('lost')
    }
  }

  #enqueue({ message, done }: Pending): void {
    done('stored')
    const expiresAt = this.#world.now() + this.options.ttlMs
    this.#ready.push({ message, acquired: 0, deliveries: message.deliveries ?? 0, expiresAt })
    this.pump()
  }

  /**
   * A consumer gives a message back. Since RabbitMQ 4.3 the end of its channel counts for the delivery limit; `basic.nack` does not.
   */
  giveBack(stored: Stored, { counts }: { readonly counts: boolean }): void {
    if (this.#isDeleted) return
    stored.acquired += 1
    if (counts) stored.deliveries += 1
    if (stored.deliveries > this.options.deliveryLimit) this.#onDead(stored)
    else this.#returned.push(stored)
  }

  /** A quorum queue counts a cancelled consumer as long as it holds a message. */
  get consumerCount(): number {
    this.#cancelled = this.#cancelled.filter(({ unacked }) => unacked > 0)
    return this.#consumers.length + this.#cancelled.length
  }

  /**
   * Deletes the queue with its messages: those that are ready, those that are delivered, and those that no majority has yet, which are
   * confirmed all the same. Returns how many they were.
   */
  delete(): number {
    this.#isDeleted = true
    this.#epoch += 1
    const [pending, lost] = [this.#pending.splice(0), this.#returned.length + this.#ready.length + this.unacked]
    for (const { done } of pending) done('stored')
    ;[this.#returned, this.#ready, this.#turns] = [[], [], []]
    this.#stopWatching?.()
    for (const consumer of this.#consumers.splice(0)) consumer.cancelled()
    return lost + pending.length
  }

  addConsumer(consumer: QueueConsumer): void {
    this.#consumers.push(consumer)
  }

  removeConsumer(consumer: QueueConsumer): void {
    this.#cancelled.push(consumer)
    this.#consumers = this.#consumers.filter((one) => one !== consumer)
    this.#turns = this.#turns.filter((one) => one !== consumer)
  }

  /** Delivers as long as there are messages and consumers that may take them; consumers take turns. */
  pump(): void {
    this.#expireHeads()
    for (const consumer of this.#consumers) if (consumer.canTake() && !this.#turns.includes(consumer)) this.#turns.push(consumer)
    while (this.#head) {
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
