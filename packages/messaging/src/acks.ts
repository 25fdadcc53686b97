import type { Channel, ConsumeMessage } from 'amqplib'

/**
 * Batches the acknowledgements of one channel. Messages handled within one turn of the event loop share one frame, as far as
 * all earlier deliveries are handled too. A frame for each message costs the broker more than the delivery itself.
 */
export interface Acks {
  /** Must be called for every delivery, in order. */
  deliver(delivery: ConsumeMessage): void
  /** The message is handled; the acknowledgement is sent within this turn of the event loop. */
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

export function createAcks(channel: Pick<Channel, 'ack' | 'nack'>): Acks {
  /** By delivery tag, oldest first: a map keeps the order of insertion. */
  const entries = new Map<number, Entry>()
  let scheduled: NodeJS.Immediate | undefined

  function flush(): void {
    clearImmediate(scheduled)
    scheduled = undefined
    try {
      sendAcked()
    } catch {
      // The channel has ended: the broker delivers the messages again.
    }
  }

  function sendAcked(): void {
    let upTo: ConsumeMessage | undefined
    for (const [tag, { delivery, acked }] of entries) {
      if (!acked) break
      entries.delete(tag)
      upTo = delivery
    }
    if (upTo) channel.ack(upTo, true)
    for (const [tag, { delivery, acked }] of entries) {
      if (!acked) continue
      // Deleted at once: behind one slow delivery, every later one would be kept and scanned again.
      entries.delete(tag)
      channel.ack(delivery)
    }
  }

  return {
    deliver: (delivery) => void entries.set(delivery.fields.deliveryTag, { delivery, acked: false }),
    ack({ fields }) {
      const entry = entries.get(fields.deliveryTag)
      if (!entry) return
      entry.acked = true
      scheduled ??= setImmediate(flush)
    },
    giveBack(delivery) {
      entries.delete(delivery.fields.deliveryTag)
      try {
        // nack, not reject: from RabbitMQ 4.3 on it does not count for the delivery limit, so a long outage of a database
        // does not dead-letter healthy messages.
        channel.nack(delivery, false, true)
      } catch {
        // As above.
      }
    },
    flush,
    get open() {
      return entries.size
    },
  }
}
