import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel, ConsumeMessage } from 'amqplib'
import { createAcks, type Acks } from './acks.ts'
import { backoffMs, type Backoff } from './backoff.ts'
import { keepChannel } from './channel.ts'
import type { Broker } from './connection.ts'
import { publishDead } from './dead-letter.ts'
import { toIncoming, type IncomingMessage } from './incoming.ts'
import type { Log } from './log.ts'
import type { Publisher } from './publisher.ts'
import type { Queue } from './topology.ts'

/** `ack`: done. `retry`: deliver it again after a pause. `dead`: nobody will ever understand it; kept with the reason. */
export type Outcome = 'ack' | 'retry' | { readonly dead: string }

export interface ConsumeOptions {
  readonly queue: Pick<Queue, 'name' | 'deadRoute'>
  /** Deliveries in hand at once, those that wait for their retry included. */
  readonly prefetch: number
  /** A rejection counts as `retry`. May be called again with a message it has handled: be idempotent. */
  readonly handle: (message: IncomingMessage) => Promise<Outcome>
  /** Sends dead messages. */
  readonly publisher: Publisher
  readonly log: Log
  readonly random?: () => number
}

export interface Consumer {
  /** Deliveries that are being handled. */
  readonly inFlight: number
  /**
   * When the oldest of them was published; `undefined` when there is none. A queue gives out its oldest messages first, and
   * keeps some only while every consumer has all that it prefetches: over all consumers this is the oldest of the queue too.
   */
  readonly oldestPublishedAtMs: number | undefined
  /**
   * Takes no more, waits for running handlers until the deadline, then closes the channel: what is not acknowledged by
   * then goes to another consumer. Resolves with whether all ended in time.
   */
  stop(options: { deadlineMs: number }): Promise<boolean>
}

/**
 * The pause before a failed delivery goes back to the queue, by how often the message was delivered. It is held here
 * meanwhile and takes a place of the prefetch: with the database away a consumer comes to rest instead of spinning.
 */
const RETRY: Backoff = { firstMs: 200, maxMs: 30_000 }

/** Consumes with manual acknowledgement, and again after every loss of the channel or the broker. */
export function consume(broker: Broker, options: ConsumeOptions): Consumer {
  const { queue, prefetch, log, random = Math.random } = options
  const stopping = new AbortController()
  const running = new Map<Promise<void>, IncomingMessage>()
  let cancel: (() => Promise<unknown>) | undefined
  let flush: (() => void) | undefined

  async function onDelivery(acks: Acks, delivery: ConsumeMessage, message: IncomingMessage): Promise<void> {
    const outcome = await outcomeOf(message, options)
    if (outcome === 'retry') {
      const delayMs = backoffMs(RETRY, message.deliveryCount, random())
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
    if (outcome === 'ack') acks.ack(delivery)
    else acks.giveBack(delivery)
  }

  const channels = keepChannel<Channel>({
    link: broker.consuming,
    name: `consumer of ${queue.name}`,
    log,
    random,
    open: (model) => model.createChannel(),
    onOpen: async (channel) => {
      await channel.prefetch(prefetch)
      const acks = createAcks(channel)
      const { consumerTag } = await channel.consume(queue.name, (delivery) => {
        // The broker has cancelled us, as it does when the queue moves or is deleted: begin again.
        if (!delivery) return void channel.close().catch(() => undefined)
        const message = toIncoming(delivery)
        acks.deliver(delivery)
        const run = onDelivery(acks, delivery, message).finally(() => running.delete(run))
        running.set(run, message)
      })
      cancel = () => channel.cancel(consumerTag)
      flush = acks.flush
    },
    onEnd: () => (cancel = flush = undefined),
  })

  return {
    get inFlight() {
      return running.size
    },
    get oldestPublishedAtMs() {
      let oldest: number | undefined
      for (const { publishedAtMs } of running.values())
        if (publishedAtMs !== undefined && publishedAtMs < (oldest ?? Infinity)) oldest = publishedAtMs
      return oldest
    },
    async stop({ deadlineMs }) {
      const deadline = sleep(deadlineMs, false, { ref: false })
      const drained = (async () => {
        await cancel?.().catch(() => undefined)
        stopping.abort()
        while (running.size > 0) await Promise.allSettled(running.keys())
        return true
      })()
      const inTime = await Promise.race([drained, deadline])
      flush?.()
      await channels.close()
      return inTime
    },
  }
}

async function outcomeOf(message: IncomingMessage, { handle, publisher, queue, log }: ConsumeOptions): Promise<Outcome> {
  try {
    const outcome = await handle(message)
    if (typeof outcome !== 'object') return outcome
    await publishDead(publisher, queue, message, outcome.dead)
    log.error('message is dead', { ...namesOf(queue, message), reason: outcome.dead })
    return 'ack'
  } catch (error) {
    log.error('message failed', { ...namesOf(queue, message), delivery: message.deliveryCount, error })
    return 'retry'
  }
}

/** What a log line says of a message: enough to follow its payment. */
function namesOf(queue: Pick<Queue, 'name'>, { messageId, correlationId }: IncomingMessage) {
  return { queue: queue.name, messageId, correlation_id: correlationId }
}
