import type { ConfirmChannel, Message } from 'amqplib'
import { keepChannel } from './channel.ts'
import type { Broker } from './connection.ts'
import { BrokerUnavailable, PublishOverloaded, PublishRefused, PublishReturned, PublishTimeout } from './errors.ts'
import type { BrokerState } from './link.ts'
import type { Log } from './log.ts'
import { Watched } from './watched.ts'

export interface OutgoingMessage {
  readonly exchange: string
  readonly routingKey: string
  /** The event's id; consumers deduplicate by it. */
  readonly messageId: string
  readonly type: string
  readonly correlationId: string
  /** JSON. */
  readonly body: Buffer | string
  readonly headers?: Readonly<Record<string, unknown>>
  /** Milliseconds since 1970; AMQP keeps whole seconds of it. */
  readonly timestampMs: number
}

export interface PublisherOptions {
  readonly confirmTimeoutMs: number
  /** Unconfirmed messages at once; one more is refused. With the size of a body this bounds what is buffered. */
  readonly maxInFlight: number
  readonly log: Log
  readonly random?: () => number
}

export interface Publisher {
  /** `up` when a publish would be sent now. */
  readonly state: BrokerState
  onStateChange(listener: (state: BrokerState) => void): () => void
  /**
   * Resolves when the broker has stored the message in every queue it is routed to (persistent, mandatory, confirmed).
   * Rejects with `BrokerUnavailable` (at once when the broker is away or blocked), `PublishReturned`, `PublishRefused`,
   * `PublishTimeout` or `PublishOverloaded`. After a rejection the message may still have been stored.
   */
  publish(message: OutgoingMessage): Promise<void>
}

interface InFlight {
  readonly route: string
  returned: boolean
}

/** Publishes on a channel of its own with many messages in flight. It ends with its broker. */
export function createPublisher(broker: Broker, options: PublisherOptions): Publisher {
  const { confirmTimeoutMs, maxInFlight, log, random = Math.random } = options
  const link = broker.publishing
  const state = new Watched<BrokerState>('down')
  const inFlight = new Set<InFlight>()
  let channel: ConfirmChannel | undefined

  const updateState = () => state.set(channel ? link.state : 'down')
  link.onStateChange(updateState)
  keepChannel<ConfirmChannel>({
    link,
    name: 'publisher',
    log,
    random,
    open: (model) => model.createConfirmChannel(),
    onOpen: (opened) => {
      opened.on('return', (message) => markReturned(inFlight, message))
      channel = opened
      updateState()
    },
    onEnd: () => {
      channel = undefined
      updateState()
    },
  })

  /** Resolves with the confirm of this message; the place in flight is held until then, also after a timeout. */
  function send(channel: ConfirmChannel, message: OutgoingMessage): Promise<undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const entry: InFlight = { route: routeOf(message.exchange, message.routingKey, message.messageId), returned: false }
    const timer = setTimeout(() => reject(new PublishTimeout(`no confirm within ${confirmTimeoutMs} ms`)), confirmTimeoutMs)
    const settle = (error: unknown) => {
      clearTimeout(timer)
      inFlight.delete(entry)
      if (entry.returned) reject(new PublishReturned(`no queue is bound to ${message.exchange} for ${message.routingKey}`))
      else if (error) reject(toPublishError(error))
      else resolve(undefined)
    }
    inFlight.add(entry)
    try {
      channel.publish(message.exchange, message.routingKey, toBuffer(message.body), propertiesOf(message), settle)
    } catch (error) {
      settle(error)
    }
    return promise
  }

  async function publish(message: OutgoingMessage): Promise<void> {
    if (!channel || state.value !== 'up') throw new BrokerUnavailable(`the broker is ${state.value}`)
    if (inFlight.size >= maxInFlight) throw new PublishOverloaded(`${maxInFlight} messages wait for their confirms`)
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

/**
 * A return comes before the ack of its message, in the order of publishing, and names the message. Several in flight may
 * share id and route (an event sent again by a sweep): the first not yet marked is taken. Should its twin have been meant,
 * one of two equal messages is stored and one of two callers told so, which is all that a repeat can promise.
 */
function markReturned(inFlight: Set<InFlight>, { fields, properties }: Message): void {
  const route = routeOf(fields.exchange, fields.routingKey, String(properties.messageId))
  for (const entry of inFlight) {
    if (entry.returned || entry.route !== route) continue
    entry.returned = true
    return
  }
}

function routeOf(exchange: string, routingKey: string, messageId: string): string {
  return JSON.stringify([exchange, routingKey, messageId])
}

function propertiesOf({ messageId, type, correlationId, headers, timestampMs }: OutgoingMessage) {
  return {
    persistent: true,
    mandatory: true,
    contentType: 'application/json',
    messageId,
    type,
    correlationId,
    headers: headers ?? {},
    timestamp: Math.floor(timestampMs / 1000),
  }
}

function toBuffer(body: Buffer | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body
}

/** amqplib tells a refusal from a lost channel by its text only; the integration tests hold it to that. */
function toPublishError(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error)
  if (message === 'message nacked') return new PublishRefused('a queue refused the message')
  return new BrokerUnavailable('the broker left before it confirmed', { cause: error })
}
