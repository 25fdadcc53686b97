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
}

interface Entry {
  readonly delivery: ConsumeMessage
  state: 'open' | 'acked' | 'gone'
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
    for (const [tag, { delivery, state }] of entries) {
      if (state === 'open') break
      entries.delete(tag)
      if (state === 'acked') upTo = delivery
    }
    if (upTo) channel.ack(upTo, true)
    for (const entry of entries.values()) {
      if (entry.state !== 'acked') continue
      entry.state = 'gone'
      channel.ack(entry.delivery)
    }
  }

  return {
    deliver: (delivery) => void entries.set(delivery.fields.deliveryTag, { delivery, state: 'open' }),
    ack({ fields }) {
      const entry = entries.get(fields.deliveryTag)
      if (!entry) return
      entry.state = 'acked'
      scheduled ??= setImmediate(flush)
    },
    giveBack(delivery) {
      const entry = entries.get(delivery.fields.deliveryTag)
      if (entry) entry.state = 'gone'
      try {
        // nack, not reject: from RabbitMQ 4.3 on it does not count for the delivery limit, so that a long outage of a
        // database never makes healthy messages dead.
        channel.nack(delivery, false, true)
      } catch {
        // As above.
      }
    },
    flush,
  }
}
