import type { ConfirmChannel, Message } from 'amqplib'
import { Unavailable } from '@gateway/contracts'
import type { Broker } from './broker.ts'
import { keepChannel } from './channel.ts'
import { Watched, type BrokerState, type Log } from './connection.ts'
import { BrokerUnavailable } from './errors.ts'
import { propertiesOf, toBuffer, type OutgoingMessage } from './message.ts'

export interface PublisherOptions {
  readonly confirmTimeoutMs: number
  /** Unconfirmed messages at once; one more is refused. Together with the size of a body this limits the memory in use. */
  readonly maxInFlight: number
  readonly log: Log
  readonly random?: () => number
}

export interface Publisher {
  /** `up` when a message would be sent now. */
  readonly state: BrokerState
  onStateChange(listener: (state: BrokerState) => void): () => void
  /**
   * Resolves when the broker has stored the message in every queue it is routed to (persistent, mandatory, confirmed).
   * Rejects with `BrokerUnavailable` (at once when the broker is away or blocked), or with `Unavailable`: `publish_returned` (no
   * queue is bound for the routing key), `publish_refused` (a queue is full or has no leader), `publish_timeout` (no confirm in
   * time) or `publish_overloaded` (too many messages wait for their confirms). After a rejection the message may still be stored.
   */
  publish(message: OutgoingMessage): Promise<void>
}

/** Publishes many messages at once on one channel. It ends when its broker is closed. */
export function createPublisher(broker: Broker, options: PublisherOptions): Publisher {
  const { confirmTimeoutMs, maxInFlight, log, random = Math.random } = options
  const connection = broker.publishing
  const state = new Watched<BrokerState>('down')
  const unconfirmed = new UnconfirmedMessages()
  let channel: ConfirmChannel | undefined

  const updateState = () => state.set(channel ? connection.state : 'down')
  connection.onStateChange(updateState)
  keepChannel<ConfirmChannel>({
    connection,
    name: 'publisher',
    log,
    random,
    open: (model) => model.createConfirmChannel(),
    onOpen: (opened) => {
      opened.on('return', (message) => unconfirmed.markReturned(message))
      channel = opened
      updateState()
    },
    onEnd: () => {
      channel = undefined
      updateState()
    },
  })

  /** Settles with the confirm of the message, which counts as in flight until then, also after a timeout. */
  function send(channel: ConfirmChannel, message: OutgoingMessage): Promise<undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const entry = unconfirmed.add(message)
    const timer = setTimeout(
      () => reject(new Unavailable('publish_timeout', `no confirm within ${confirmTimeoutMs} ms`)),
      confirmTimeoutMs,
    )
    const settle = (error: unknown) => {
      clearTimeout(timer)
      unconfirmed.remove(entry)
      if (entry.isReturned)
        reject(new Unavailable('publish_returned', `no queue is bound to ${message.exchange} for ${message.routingKey}`))
      else if (error) reject(toPublishError(error))
      else resolve(undefined)
    }
    try {
      channel.publish(message.exchange, message.routingKey, toBuffer(message.body), propertiesOf(message), settle)
    } catch (error) {
      settle(error)
    }
    return promise
  }

  async function publish(message: OutgoingMessage): Promise<void> {
    if (!channel || state.value !== 'up') throw new BrokerUnavailable(`the broker is ${state.value}`)
    if (unconfirmed.count >= maxInFlight)
      throw new Unavailable('publish_overloaded', `${maxInFlight} messages wait for their confirms`)
    await send(channel, message)
  }

  return {
    get state() {
      return state.value
    },
    onStateChange: (listener) => state.watch(listener),
    publish,
  }
}

/** amqplib distinguishes a refusal from a lost channel only by this text; the integration tests notice when it changes. */
function toPublishError(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error)
  if (message === 'message nacked') return new Unavailable('publish_refused', 'a queue refused the message')
  return new BrokerUnavailable('the broker left before it confirmed', { cause: error })
}

interface Unconfirmed {
  readonly route: string
  /** The broker has returned the message: no queue is bound for it. */
  isReturned: boolean
}

/** The messages of one publisher that the broker has not confirmed. */
class UnconfirmedMessages {
  readonly #entries = new Set<Unconfirmed>()

  get count(): number {
    return this.#entries.size
  }

  add({ exchange, routingKey, messageId }: OutgoingMessage): Unconfirmed {
    const entry = { route: routeOf(exchange, routingKey, messageId), isReturned: false }
    this.#entries.add(entry)
    return entry
  }

  remove(entry: Unconfirmed): void {
    this.#entries.delete(entry)
  }

  /**
   * The broker returns a message before it confirms it, in the order of publishing. Two copies of one event in flight have the
   * same id and route; then the first copy counts as returned, which is as good, since both are the same event.
   */
  markReturned({ fields, properties }: Message): void {
    const route = routeOf(fields.exchange, fields.routingKey, String(properties.messageId))
    for (const entry of this.#entries) {
      if (entry.isReturned || entry.route !== route) continue
      entry.isReturned = true
      return
    }
  }
}

function routeOf(exchange: string, routingKey: string, messageId: string): string {
  return JSON.stringify([exchange, routingKey, messageId])
}

/**
 * Resolves when the messages published just before the call are written to the broker's socket, which takes about one turn of the
 * event loop. Await it before an answer or further work: otherwise those delay the messages for longer than the broker needs.
 * It does not wait for the confirm.
 */
export async function untilWritten(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  // amqplib puts frames into a stream, reads that stream in the next tick and writes to the socket in the immediate after it.
  process.nextTick(() => setImmediate(() => resolve(undefined)))
  return promise
}
