import type { Channel, ConsumeMessage } from 'amqplib'

/**
 * Batches the acknowledgements of one channel. Messages handled within a few milliseconds share one frame, as far as all earlier
 * deliveries are handled too: each frame is an entry in the log of a quorum queue. Behind a delivery that takes longer each message
 * needs a frame of its own, which costs the broker more than the delivery itself: those wait longer for the earlier one.
 */
export interface Acks {
  /** Must be called for every delivery, in order. */
  deliver(delivery: ConsumeMessage): void
  /** The message is handled; the acknowledgement is sent some milliseconds later. */
  ack(delivery: ConsumeMessage): void
  /** Returns the message to its queue at once, unless it was acknowledged. */
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

/** How long an acknowledgement waits for others. Nothing waits for it; a crash in this time costs that many more redeliveries. */
const TOGETHER_MS = 15
/** How much longer it waits behind a slower delivery: less while half of the prefetch is being handled, and others wait for room. */
const BEHIND_SLOWER_MS = { free: 40, full: 10 } as const

/** @param prefetch of the channel: half of it waits for nothing, so that a small one does not hold up the queue */
export function createAcks(channel: Pick<Channel, 'ack' | 'nack'>, prefetch: number): Acks {
  /** By delivery tag, oldest first: a map keeps the order of insertion. */
  const entries = new Map<number, Entry>()
  let scheduled: NodeJS.Timeout | undefined
  let delayed: NodeJS.Timeout | undefined
  /** Acknowledgements that are held. */
  let held = 0

  function flush(): void {
    flushOldest()
    clearTimeout(delayed)
    delayed = undefined
    quietly(sendBehindSlower)
  }

  function flushOldest(): void {
    clearTimeout(scheduled)
    scheduled = undefined
    quietly(sendOldest)
    const isFull = (entries.size - held) * 2 >= prefetch
    if (held > 0) delayed ??= setTimeout(flush, isFull ? BEHIND_SLOWER_MS.full : BEHIND_SLOWER_MS.free)
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
      if (held * 2 >= prefetch) flush()
      else scheduled ??= setTimeout(flushOldest, TOGETHER_MS)
    },
    giveBack(delivery) {
      const { deliveryTag } = delivery.fields
      if (entries.get(deliveryTag)?.acked !== false) return
      remove(deliveryTag)
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
