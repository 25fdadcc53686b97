import type { Channel, ConsumeMessage } from 'amqplib'

/**
 * Acknowledgements of one channel, sent together: what ends within one turn of the event loop goes as one frame, as far as
 * everything delivered before it has ended, too. A frame for each costs the broker more than the delivery itself.
 */
export interface Acks {
  /** Has to be told of every delivery, in order. */
  deliver(delivery: ConsumeMessage): void
  /** Handled; the broker hears of it within this turn. */
  ack(delivery: ConsumeMessage): void
  /** Goes back to its queue, at once. */
  giveBack(delivery: ConsumeMessage): void
  /** Sends what was acknowledged so far. */
  readonly flush: () => void
  /** Deliveries that the broker has not been told of: never more than it gives out at once, however long one of them takes. */
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
      // The channel has ended meanwhile: the broker delivers the messages again.
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
      // Forgotten at once: behind one delivery that takes long, everything that ended since would be kept and looked at again.
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
        // nack, not reject: from RabbitMQ 4.3 on it does not count for the delivery limit, so that a long outage of a
        // database never makes healthy messages dead.
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
