import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel, ConsumeMessage } from 'amqplib'
import { createAcks, type Acks } from './acks.ts'
import { backoffMs, type Backoff, type Log } from './connection.ts'
import { keepChannel } from './channel.ts'
import type { Broker } from './broker.ts'
import type { HandlerSlots } from './handler-slots.ts'
import { publishDead, createFailures, failureReason, type Failures } from './dead-letter.ts'
import { oldestOf, toIncoming, type IncomingMessage } from './message.ts'
import type { Publisher } from './publisher.ts'
import type { Queue } from './queue.ts'

/** `ack`: done. `retry`: deliver it again after a pause. `dead`: dead-letter it, with this reason. */
export type Outcome = 'ack' | 'retry' | { readonly dead: string }

/**
 * @param acknowledge lets the broker forget the message now: for a handler that takes long and has stored what is left to do. Until
 * the handler ends it counts as running, so a stop waits for it; its outcome changes nothing any more
 */
export type HandleMessage = (message: IncomingMessage, acknowledge: () => void) => Promise<Outcome>

export interface ConsumeOptions {
  readonly queue: Pick<Queue, 'name' | 'deadRoute'>
  /** Unacknowledged deliveries at once, including those that pause before their redelivery. */
  readonly prefetch: number
  /**
   * A temporary rejection counts as `retry`, any other as `dead` when the message has failed five times, so that no message keeps
   * its slot for good. It must be idempotent: a message can be delivered again after it was handled.
   */
  readonly handle: HandleMessage
  /** Shared by consumers whose handlers count together: a delivery waits for a slot, and frees it once it is acknowledged. */
  readonly slots?: HandlerSlots
  /** Recognises rejections that say nothing about the message: a database is away. Those of the broker are known here. */
  readonly isTemporary?: (error: unknown) => boolean
  /** Publishes dead-lettered messages. */
  readonly publisher: Publisher
  readonly log: Log
  readonly random?: () => number
}

export interface Consumer {
  /** The broker sends it messages. */
  readonly isConsuming: boolean
  /** Deliveries that are being handled. */
  readonly inFlight: number
  /**
   * When the oldest of them was published; `undefined` when there is none. A queue delivers its oldest messages first, so the
   * minimum over all consumers is also the oldest message of the queue.
   */
  readonly oldestPublishedAtMs: number | undefined
  /**
   * Stops taking messages, waits for running handlers until the deadline, then closes the channel. Messages that are not
   * acknowledged by then go to another consumer. Resolves to whether every handler ended in time.
   */
  stop(options: { deadlineMs: number }): Promise<boolean>
}

/**
 * The pause before a failed delivery goes back to the queue; it grows with the delivery count. The delivery keeps counting for
 * `prefetch` meanwhile, so a consumer whose database is away stops instead of spinning.
 */
const RETRY: Backoff = { firstMs: 200, maxMs: 30_000 }

/** Consumes with manual acknowledgement, and again after every loss of the channel or the broker. */
export function consume(broker: Broker, options: ConsumeOptions): Consumer {
  const { queue, prefetch, slots, log, random = Math.random } = options
  const stopping = new AbortController()
  const failures = createFailures(options.isTemporary ?? (() => false))
  const running = new Map<IncomingMessage, Promise<void>>()
  let cancel: (() => Promise<unknown>) | undefined
  let flush: (() => void) | undefined

  async function onDelivery(acks: Acks, delivery: ConsumeMessage, message: IncomingMessage): Promise<void> {
    const free = slots ? await slots.acquire(running) : () => undefined
    const acknowledge = (): void => {
      acks.ack(delivery)
      free?.()
    }
    const outcome = free ? await outcomeOf(message, acknowledge, failures, options) : 'retry'
    free?.()
    if (outcome === 'retry') {
      const delayMs = backoffMs(RETRY, message.deliveryCount, random())
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
    if (outcome === 'ack') acks.ack(delivery)
    else acks.giveBack(delivery)
    running.delete(message)
  }

  const channels = keepChannel<Channel>({
    connection: broker.consuming,
    name: `consumer of ${queue.name}`,
    log,
    random,
    open: (model) => model.createChannel(),
    onOpen: async (channel) => {
      await channel.prefetch(prefetch)
      const acks = createAcks(channel, prefetch)
      const { consumerTag } = await channel.consume(queue.name, (delivery) => {
        // The broker cancels a consumer when its queue moves or is deleted: open a new channel.
        if (!delivery) return void channel.close().catch(() => undefined)
        const message = toIncoming(delivery)
        acks.deliver(delivery)
        running.set(message, onDelivery(acks, delivery, message))
      })
      cancel = () => channel.cancel(consumerTag)
      flush = acks.flush
    },
    onEnd: () => (cancel = flush = undefined),
  })

  return {
    get isConsuming() {
      return cancel !== undefined
    },
    get inFlight() {
      return running.size
    },
    get oldestPublishedAtMs() {
      return oldestOf(Array.from(running.keys(), ({ publishedAtMs }) => publishedAtMs))
    },
    async stop({ deadlineMs }) {
      const deadline = sleep(deadlineMs, false, { ref: false })
      const drained = (async () => {
        await cancel?.().catch(() => undefined)
        stopping.abort()
        slots?.withdraw(running)
        while (running.size > 0) await Promise.allSettled(running.values())
        return true
      })()
      const inTime = await Promise.race([drained, deadline])
      flush?.()
      await channels.close()
      return inTime
    },
  }
}

/** Acknowledged only when it was handled, or is stored in the dead queue. Never rejects. */
async function outcomeOf(
  message: IncomingMessage,
  acknowledge: () => void,
  failures: Failures,
  options: ConsumeOptions,
): Promise<'ack' | 'retry'> {
  const { handle, queue, log } = options
  try {
    const outcome = await handle(message, acknowledge)
    if (outcome !== 'retry') failures.forget(message)
    return typeof outcome === 'object' ? await deadLettered(message, outcome.dead, options) : outcome
  } catch (error) {
    log.error('message failed', { ...namesOf(queue, message), delivery: message.deliveryCount, error })
    return failures.isFinal(message, error) ? deadLettered(message, failureReason(error), options) : 'retry'
  }
}

/** Never rejects: a message that cannot be dead-lettered is delivered again. */
async function deadLettered(
  message: IncomingMessage,
  reason: string,
  { publisher, queue, log }: ConsumeOptions,
): Promise<'ack' | 'retry'> {
  try {
    await publishDead(publisher, queue, message, reason)
    log.error('message dead-lettered', { ...namesOf(queue, message), reason })
    return 'ack'
  } catch (error) {
    log.error('message not dead-lettered', { ...namesOf(queue, message), reason, error })
    return 'retry'
  }
}

/** The fields that identify a message, and its payment, in the log. */
function namesOf(queue: Pick<Queue, 'name'>, { messageId, correlationId }: IncomingMessage) {
  return { queue: queue.name, messageId, correlation_id: correlationId }
}
