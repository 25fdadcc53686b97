import { encodeMessage, encodeMethod, Unsupported, type Fields, type Frame } from './codec.ts'
import { Deliveries } from './deliveries.ts'
import { deliveredProperties, isRedelivered, type Message } from './message.ts'
import type { Queues } from './queues.ts'

export interface ChannelHost {
  /** The name of the client's process. */
  readonly client: string
  send(bytes: Buffer): void
  /** A whole message has arrived. */
  published(): void
}

/** The broker's end of one channel. */
export class ServerChannel {
  readonly #queues: Queues
  readonly #number: number
  readonly #host: ChannelHost
  readonly #deliveries: Deliveries
  #prefetch = 0
  /** The number of the last message, when the channel confirms; `undefined` when it does not. */
  #published: number | undefined
  /** The message that is arriving: the method, the properties, and the parts of the body come in frames of their own. */
  #incoming = { method: {} as Fields, properties: {} as Fields, parts: [] as Buffer[], left: 0 }
  #isOpen = true

  constructor(queues: Queues, number: number, host: ChannelHost) {
    this.#queues = queues
    this.#number = number
    this.#host = host
    this.#deliveries = new Deliveries(queues.observer, host.client)
  }

  accept({ method, fields, size, content }: Frame): void {
    if (method !== undefined) {
      const answer = this.#run(method, fields)
      if (answer) this.#send(`${method}Ok`, answer)
      return
    }
    const incoming = this.#incoming
    if (content) {
      incoming.parts.push(content)
      incoming.left -= content.length
    } else Object.assign(incoming, { properties: fields, left: size })
    if (incoming.left <= 0) this.#publish()
  }

  /** The channel is gone: its deliveries go back to their queues, and its consumers get nothing more. */
  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#deliveries.end()
  }

  /** Runs a method. Returns the fields of its answer, which is named `…Ok`; `undefined` when it has none, or has had it. */
  #run(method: string, fields: Fields): Fields | undefined {
    switch (method) {
      case 'ExchangeDeclare':
        this.#queues.declareExchange(fields)
        return {}
      case 'QueueDeclare':
        this.#queues.declareQueue(fields)
        return { queue: fields['queue'], messageCount: 0, consumerCount: 0 }
      case 'QueueBind':
        this.#queues.bind(fields)
        return {}
      case 'ConfirmSelect':
        this.#published ??= 0
        return {}
      case 'ChannelClose':
        this.end()
        return {}
      case 'BasicQos':
        if (fields['global'] === true) throw new Unsupported('a prefetch of the whole channel')
        this.#prefetch = Number(fields['prefetchCount'])
        return {}
      case 'BasicPublish':
        this.#incoming = { method: fields, properties: {}, parts: [], left: 0 }
        return undefined
      case 'BasicConsume':
        this.#consume(fields)
        return undefined
      case 'BasicCancel':
        this.#deliveries.cancel(String(fields['consumerTag']))
        return { consumerTag: fields['consumerTag'] }
      case 'BasicAck':
      case 'BasicNack':
        if (fields['requeue'] === false) throw new Unsupported('a refusal for good')
        this.#deliveries.settle(Number(fields['deliveryTag']), fields['multiple'] === true, method)
        return undefined
      default:
        throw new Unsupported(`the method ${method}`)
    }
  }

  #publish(): void {
    const { method, properties, parts } = this.#incoming
    const [exchange, routingKey] = [String(method['exchange']), String(method['routingKey'])]
    const message: Message = { exchange, routingKey, properties, content: Buffer.concat(parts) }
    const number = this.#published === undefined ? undefined : (this.#published += 1)
    this.#queues.publish(this.#host.client, message, (result) => {
      if (result === 'unrouted' && method['mandatory'] === true) throw new Unsupported('messages that no queue gets')
      // The node that would confirm it is lost with the message, or with the connection.
      if (number === undefined) return
      if (!this.#isOpen || result === 'lost') this.#queues.observer.onUnconfirmed?.(this.#host.client, message)
      else this.#send('BasicAck', { deliveryTag: number, multiple: false })
    })
    this.#host.published()
  }

  #consume(fields: Fields): void {
    if (fields['exclusive'] === true || fields['noAck'] === true || fields['consumerTag'] !== '')
      throw new Unsupported('consumers that are exclusive, do not acknowledge, or choose their tag')
    const random = Array.from({ length: 2 }, () => Math.floor(this.#queues.world.random() * 2 ** 32).toString(36))
    const consumerTag = `amq.ctag-${random.join('')}`
    this.#send('BasicConsumeOk', { consumerTag })
    this.#deliveries.consume(this.#queues.queue(String(fields['queue'])), consumerTag, this.#prefetch, (deliveryTag, stored) => {
      const { exchange, routingKey, content } = stored.message
      const about = { consumerTag, deliveryTag, redelivered: isRedelivered(stored), exchange, routingKey }
      const message = { properties: deliveredProperties(stored), content }
      this.#host.send(encodeMessage('BasicDeliver', this.#number, about, message))
    })
  }

  #send(method: string, fields: Fields): void {
    this.#host.send(encodeMethod(method, this.#number, fields))
  }
}
