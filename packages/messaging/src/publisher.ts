import type { ConfirmChannel } from 'amqplib'
import type { Broker } from './broker.ts'
import { keepChannel } from './channel.ts'
import type { BrokerState } from './connection.ts'
import { BrokerUnavailable, PublishOverloaded, PublishRefused, PublishReturned, PublishTimeout } from './errors.ts'
import type { Log } from './log.ts'
import { propertiesOf, toBuffer, type OutgoingMessage } from './outgoing.ts'
import { UnconfirmedMessages } from './unconfirmed.ts'
import { Watched } from './watched.ts'

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
   * Rejects with `BrokerUnavailable` (at once when the broker is away or blocked), `PublishReturned`, `PublishRefused`,
   * `PublishTimeout` or `PublishOverloaded`. After a rejection the message may still have been stored.
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
    const timer = setTimeout(() => reject(new PublishTimeout(`no confirm within ${confirmTimeoutMs} ms`)), confirmTimeoutMs)
    const settle = (error: unknown) => {
      clearTimeout(timer)
      unconfirmed.remove(entry)
      if (entry.isReturned) reject(new PublishReturned(`no queue is bound to ${message.exchange} for ${message.routingKey}`))
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
    if (unconfirmed.count >= maxInFlight) throw new PublishOverloaded(`${maxInFlight} messages wait for their confirms`)
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
  if (message === 'message nacked') return new PublishRefused('a queue refused the message')
  return new BrokerUnavailable('the broker left before it confirmed', { cause: error })
}
