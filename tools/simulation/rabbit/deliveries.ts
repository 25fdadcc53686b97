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
  readonly queue: Queue
  readonly stored: Stored
  /** Missing for a message that was taken by `basic.get`. */
  readonly consumer: Consumer | undefined
}

/** Acknowledged; given back or refused by `nack`, which does not count for the delivery limit; the same by `reject`, which does. */
export type Settlement = 'ack' | 'nack' | 'reject' | 'nack for good' | 'reject for good'

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

  consume(
    queue: Queue,
    consumerTag: string,
    options: { noAck: boolean; prefetch: number; send: (tag: number, stored: Stored) => void; cancelled: () => void },
  ): void {
    const consumer: Consumer = {
      queue,
      unacked: 0,
      canTake: () => options.noAck || consumer.unacked < options.prefetch,
      deliver: (stored) => {
        if (!options.noAck) consumer.unacked += 1
        options.send(this.#add(queue, stored, options.noAck, consumer), stored)
      },
      cancelled: () => {
        this.#consumers.delete(consumerTag)
        options.cancelled()
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

  /** A message that was taken by `basic.get`; returns its delivery tag. */
  took(queue: Queue, stored: Stored, noAck: boolean): number {
    return this.#add(queue, stored, noAck, undefined)
  }

  /**
   * Settles one delivery, or all up to it; tag 0 stands for all. Throws 406 when the tag is unknown or settled already.
   * Source: https://www.rabbitmq.com/docs/confirms#consumer-acks-double-acking
   */
  settle(tag: number, multiple: boolean, how: Settlement): void {
    const isAll = tag === 0 && multiple
    if (!isAll && !this.#unacked.has(tag)) throw precondition(`unknown delivery tag ${tag}`)
    const tags = [...this.#unacked.keys()].filter((one) => one === tag || (multiple && (isAll || one < tag)))
    const queues = new Set(tags.map((one) => this.#settleOne(one, how)))
    for (const queue of queues) queue?.pump()
  }

  /** The channel has ended. */
  end(): void {
    for (const consumer of this.#consumers.values()) consumer.queue.removeConsumer(consumer)
    this.#consumers.clear()
    const queues = new Set([...this.#unacked.keys()].map((tag) => this.#settleOne(tag, 'reject')))
    for (const queue of queues) queue?.pump()
  }

  #add(queue: Queue, stored: Stored, noAck: boolean, consumer: Consumer | undefined): number {
    this.#lastTag += 1
    this.#broker.observer.onDeliver?.(this.#client, queue.name, stored)
    if (noAck) this.#broker.observer.onAck?.(this.#client, queue.name, stored.message)
    else {
      this.#unacked.set(this.#lastTag, { queue, stored, consumer })
      this.#broker.countUnacked(queue, 1)
    }
    return this.#lastTag
  }

  #settleOne(tag: number, how: Settlement): Queue | undefined {
    const unacked = this.#unacked.get(tag)
    if (!unacked) return undefined
    const { queue, stored, consumer } = unacked
    this.#unacked.delete(tag)
    this.#broker.countUnacked(queue, -1)
    if (consumer) consumer.unacked -= 1
    if (how === 'ack') this.#broker.observer.onAck?.(this.#client, queue.name, stored.message)
    else if (how === 'nack for good' || how === 'reject for good') queue.refuse(stored, { counts: how === 'reject for good' })
    else queue.giveBack(stored, { counts: how === 'reject' })
    return queue
  }
}
