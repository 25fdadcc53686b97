import type { BrokerHost } from './broker-host.ts'
import { precondition } from './errors.ts'
import type { Stored } from './message.ts'
import type { Queue, QueueConsumer } from './queue.ts'

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
type Settlement = 'ack' | 'nack' | 'ended'

/** The consumers of one channel, and its deliveries that are not settled. */
export class Deliveries {
  readonly #broker: BrokerHost
  readonly #client: string
  readonly #consumers = new Map<string, Consumer>()
  /** By delivery tag, oldest first. */
  readonly #unacked = new Map<number, Unacked>()
  #lastTag = 0

  constructor(broker: BrokerHost, client: string) {
    this.#broker = broker
    this.#client = client
  }

  consume(queue: Queue, consumerTag: string, options: { prefetch: number; send: (tag: number, stored: Stored) => void }): void {
    const consumer: Consumer = {
      queue,
      unacked: 0,
      canTake: () => consumer.unacked < options.prefetch,
      deliver: (stored) => {
        consumer.unacked += 1
        options.send(this.#add(stored, consumer), stored)
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

  /**
   * Settles one delivery, or all up to it. Throws 406 when the tag is unknown or settled already.
   * Source: https://www.rabbitmq.com/docs/confirms#consumer-acks-double-acking
   */
  settle(tag: number, multiple: boolean, how: Settlement): void {
    if (!this.#unacked.has(tag)) throw precondition(`unknown delivery tag ${tag}`)
    const tags = [...this.#unacked.keys()].filter((one) => one === tag || (multiple && one < tag))
    const queues = new Set(tags.map((one) => this.#settleOne(one, how)))
    for (const queue of queues) queue?.pump()
  }

  /** The channel has ended. */
  end(): void {
    for (const consumer of this.#consumers.values()) consumer.queue.removeConsumer(consumer)
    this.#consumers.clear()
    const queues = new Set([...this.#unacked.keys()].map((tag) => this.#settleOne(tag, 'ended')))
    for (const queue of queues) queue?.pump()
  }

  #add(stored: Stored, consumer: Consumer): number {
    this.#lastTag += 1
    this.#broker.observer.onDeliver?.(this.#client, consumer.queue.name, stored)
    this.#unacked.set(this.#lastTag, { stored, consumer })
    this.#broker.countUnacked(consumer.queue, 1)
    return this.#lastTag
  }

  #settleOne(tag: number, how: Settlement): Queue | undefined {
    const unacked = this.#unacked.get(tag)
    if (!unacked) return undefined
    const { stored, consumer } = unacked
    const { queue } = consumer
    this.#unacked.delete(tag)
    this.#broker.countUnacked(queue, -1)
    consumer.unacked -= 1
    if (how === 'ack') this.#broker.observer.onAck?.(this.#client, queue.name, stored.message)
    else queue.giveBack(stored, { counts: how === 'ended' })
    return queue
  }
}
