import type { Channel, ConsumeMessage } from 'amqplib'

/**
 * Batches the acknowledgements of one channel. Messages handled within one turn of the event loop share one frame, as far as
 * all earlier deliveries are handled too. Behind a delivery that takes longer each message needs a frame of its own, which costs
 * the broker more than the delivery itself: those wait a few milliseconds for the earlier one, and then share one write.
 */
export interface Acks {
  /** Must be called for every delivery, in order. */
  deliver(delivery: ConsumeMessage): void
  /** The message is handled; the acknowledgement is sent within this turn of the event loop, or a few milliseconds later. */
  ack(delivery: ConsumeMessage): void
  /** Returns the message to its queue at once. */
  giveBack(delivery: ConsumeMessage): void
  /** Sends the acknowledgements that are still held. */
  readonly flush: () => void
  /** Deliveries that are not settled at the broker: at most `prefetch`, also while one of them takes long. */
  readonly open: number
}

interface Entry {
  readonly delivery: ConsumeMessage
  acked: boolean
}

/** A crash in this time costs that many more redeliveries; nothing waits for these acknowledgements. */
const BEHIND_SLOWER_MS = 10

export function createAcks(channel: Pick<Channel, 'ack' | 'nack'>): Acks {
  /** By delivery tag, oldest first: a map keeps the order of insertion. */
  const entries = new Map<number, Entry>()
  let scheduled: NodeJS.Immediate | undefined
  let delayed: NodeJS.Timeout | undefined
  /** Acknowledgements that are held. */
  let held = 0

  function flush(): void {
    clearImmediate(scheduled)
    clearTimeout(delayed)
    scheduled = delayed = undefined
    quietly(() => {
      sendOldest()
      sendBehindSlower()
    })
  }

  function flushOldest(): void {
    scheduled = undefined
    quietly(sendOldest)
    if (held > 0) delayed ??= setTimeout(flush, BEHIND_SLOWER_MS)
  }

  /** One frame for all deliveries before the oldest that is still being handled. */
  function sendOldest(): void {
    let upTo: ConsumeMessage | undefined
    for (const [tag, { delivery, acked }] of entries) {
      if (!acked) break
      remove(tag)
      upTo = delivery
    }
    if (upTo) channel.ack(upTo, true)
  }

  function sendBehindSlower(): void {
    if (held === 0) return
    for (const [tag, { delivery, acked }] of entries) {
      if (!acked) continue
      // Deleted at once: behind one slow delivery, every later one would be kept and scanned again.
      remove(tag)
      channel.ack(delivery)
    }
  }

  function remove(tag: number): void {
    if (entries.get(tag)?.acked === true) held -= 1
    entries.delete(tag)
  }

  /** When the channel has ended, the broker delivers the messages again. */
  function quietly(send: () => void): void {
    try {
      send()
    } catch {
      // As above.
    }
  }

  return {
    deliver: (delivery) => void entries.set(delivery.fields.deliveryTag, { delivery, acked: false }),
    ack({ fields }) {
      const entry = entries.get(fields.deliveryTag)
      if (!entry) return
      if (!entry.acked) held += 1
      entry.acked = true
      scheduled ??= setImmediate(flushOldest)
    },
    giveBack(delivery) {
      remove(delivery.fields.deliveryTag)
      quietly(() => {
        // nack, not reject: from RabbitMQ 4.3 on it does not count for the delivery limit, so a long outage of a database
        // does not dead-letter healthy messages.
        channel.nack(delivery, false, true)
      })
    },
    flush,
    get open() {
      return entries.size
    },
  }
}
