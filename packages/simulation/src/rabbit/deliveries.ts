import { Unsupported } from './codec.ts'
import type { Stored } from './message.ts'
import type { Queue, QueueConsumer } from './queue.ts'
import type { BrokerObserver } from './queues.ts'

interface Consumer extends QueueConsumer {
  readonly queue: Queue
  /** Deliveries that are not settled. */
  unacked: number
}

interface Unacked {
  readonly stored: Stored
  readonly consumer: Consumer
}

/** Acknowledged; given back, which does not count for the delivery limit; or given back by the end of the channel, which does. */
type Settlement = 'BasicAck' | 'BasicNack' | 'the end'

/** The consumers of one channel, and its deliveries that are not settled. */
export class Deliveries {
  readonly #observer: BrokerObserver
  readonly #client: string
  readonly #consumers = new Map<string, Consumer>()
  /** By delivery tag, oldest first. */
  readonly #unacked = new Map<number, Unacked>()
  #lastTag = 0

  constructor(observer: BrokerObserver, client: string) {
    this.#observer = observer
    this.#client = client
  }

  consume(queue: Queue, consumerTag: string, prefetch: number, send: (tag: number, stored: Stored) => void): void {
    const consumer: Consumer = {
      queue,
      unacked: 0,
      canTake: () => consumer.unacked < prefetch,
      deliver: (stored) => {
        consumer.unacked += 1
        send(this.#add(stored, consumer), stored)
      },
    }
    this.#consumers.set(consumerTag, consumer)
    queue.addConsumer(consumer)
    queue.pump()
  }

  cancel(consumerTag: string): void {
    const consumer = this.#consumers.get(consumerTag)
    this.#consumers.delete(consumerTag)
    consumer?.queue.removeConsumer(consumer)
  }

  /** Settles one delivery, or all up to it. Throws when the tag is unknown or settled already. */
  settle(tag: number, multiple: boolean, how: Settlement): void {
    if (!this.#unacked.has(tag)) throw new Unsupported(`the unknown delivery tag ${tag}`)
    const tags = [...this.#unacked.keys()].filter((one) => one === tag || (multiple && one < tag))
    const queues = new Set(tags.map((one) => this.#settleOne(one, how)))
    for (const queue of queues) queue?.pump()
  }

  /** The channel has ended. */
  end(): void {
    for (const consumer of this.#consumers.values()) consumer.queue.removeConsumer(consumer)
    this.#consumers.clear()
    const queues = new Set([...this.#unacked.keys()].map((tag) => this.#settleOne(tag, 'the end')))
    for (const queue of queues) queue?.pump()
  }

  #add(stored: Stored, consumer: Consumer): number {
    this.#lastTag += 1
    this.#observer.onDeliver?.(this.#client, consumer.queue.name, stored)
    this.#unacked.set(this.#lastTag, { stored, consumer })
    consumer.queue.unacked += 1
    return this.#lastTag
  }

  #settleOne(tag: number, how: Settlement): Queue | undefined {
    const unacked = this.#unacked.get(tag)
    if (!unacked) return undefined
    const { stored, consumer } = unacked
    const { queue } = consumer
    this.#unacked.delete(tag)
    queue.unacked -= 1
    consumer.unacked -= 1
    if (how === 'BasicAck') this.#observer.onAck?.(this.#client, queue.name, stored.message)
    else queue.giveBack(stored, { counts: how === 'the end' })
    return queue
  }
}
