import type { BrokerHost } from './broker-host.ts'
import { encodeMessage, encodeMethod, METHOD, type Fields, type Frame } from './codec.ts'
import { Deliveries } from './deliveries.ts'
import { AmqpError, Unsupported } from './errors.ts'
import { IncomingMessages } from './incoming-messages.ts'
import { deliveredProperties, isRedelivered, type Message, type Stored } from './message.ts'
import { declare } from './topology-methods.ts'

export interface ChannelHost {
  /** The name of the client's process. */
  readonly client: string
  send(bytes: Buffer): void
  ended(): void
  /** A whole message has arrived. */
  published(): void
}

const NAMES = new Map(Object.entries(METHOD).map(([name, id]) => [id, name]))

/** The broker's end of one channel. */
export class ServerChannel {
  readonly #broker: BrokerHost
  readonly #number: number
  readonly #host: ChannelHost
  readonly #deliveries: Deliveries
  #prefetch = 0
  /** The number of the last message, when the channel confirms; `undefined` when it does not. */
  #published: number | undefined
  readonly #incoming = new IncomingMessages((fields, message) => this.#publish(fields, message))
  /** The broker has closed it and waits for the client's answer. */
  #isClosing = false
  #isOpen = true

  constructor(broker: BrokerHost, number: number, host: ChannelHost) {
    this.#broker = broker
    this.#number = number
    this.#host = host
    this.#deliveries = new Deliveries(broker, host.client)
  }

  accept(frame: Frame): void {
    if (this.#isClosing) {
      if (frame.id === METHOD['ChannelCloseOk']) this.#host.ended()
      return
    }
    try {
      if (frame.content) this.#incoming.addPart(frame.content)
      else if (frame.size !== undefined) this.#incoming.setProperties(frame.fields ?? {}, frame.size)
      else this.#run(NAMES.get(frame.id ?? 0) ?? '', frame.fields ?? {})
    } catch (error) {
      if (!(error instanceof AmqpError) || error.closes === 'connection') throw error
      this.#close(error, frame.id ?? METHOD['BasicPublish'] ?? 0)
    }
  }

  /** The channel is gone: its deliveries go back to their queues, and its consumers get nothing more. */
  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#deliveries.end()
  }

  #close({ code, message }: AmqpError, method: number): void {
    this.#isClosing = true
    this.end()
    this.#send('ChannelClose', { replyCode: code, replyText: message, classId: method >>> 16, methodId: method & 0xffff })
  }

  #run(method: string, fields: Fields): void {
    const reply = declare(this.#broker, method, fields)
    if (reply) this.#send(reply.method, reply.fields)
    else if (method.startsWith('Basic')) this.#basic(method, fields)
    else this.#control(method)
  }

  #control(method: string): void {
    switch (method) {
      case 'ConfirmSelect':
        this.#published ??= 0
        this.#send('ConfirmSelectOk')
        return
      case 'ChannelClose':
        this.end()
        this.#send('ChannelCloseOk')
        this.#host.ended()
        return
      default:
        throw new Unsupported(`the method ${method}`)
    }
  }

  #basic(method: string, fields: Fields): void {
    const tag = Number(fields['deliveryTag'])
    const multiple = fields['multiple'] === true
    switch (method) {
      case 'BasicQos':
        if (fields['global'] === true) throw new Unsupported('a prefetch of the whole channel')
        this.#prefetch = Number(fields['prefetchCount'])
        this.#send('BasicQosOk')
        return
      case 'BasicPublish':
        this.#incoming.begin(fields)
        return
      case 'BasicConsume':
        this.#consume(fields)
        return
      case 'BasicCancel':
        this.#deliveries.cancel(String(fields['consumerTag']))
        this.#send('BasicCancelOk', { consumerTag: fields['consumerTag'] })
        return
      case 'BasicAck':
        this.#deliveries.settle(tag, multiple, 'ack')
        return
      case 'BasicNack':
        if (fields['requeue'] === false) throw new Unsupported('a refusal for good')
        this.#deliveries.settle(tag, multiple, 'nack')
        return
      default:
        throw new Unsupported(`the method ${method}`)
    }
  }

  #publish(fields: Fields, message: Message): void {
    const number = this.#published === undefined ? undefined : (this.#published += 1)
    const queues = this.#broker.route(message)
    if (queues.length === 0 && fields['mandatory'] === true) {
      const { exchange, routingKey } = message
      const returned = { replyCode: 312, replyText: 'NO_ROUTE', exchange, routingKey }
      this.#host.send(encodeMessage('BasicReturn', this.#number, returned, message))
    }
    this.#broker.publish(this.#host.client, message, (result) => {
      // The node that would confirm it is lost with the message, or with the connection.
      if (number === undefined) return
      if (!this.#isOpen || result === 'lost') this.#broker.observer.onUnconfirmed?.(this.#host.client, message)
      else this.#send('BasicAck', { deliveryTag: number, multiple: false })
    })
    this.#host.published()
  }

  #consume(fields: Fields): void {
    if (fields['exclusive'] === true || fields['noAck'] === true)
      throw new Unsupported('exclusive consumers, or without acknowledgement')
    const queue = this.#broker.queue(String(fields['queue']))
    const given = fields['consumerTag']
    const consumerTag = typeof given === 'string' && given !== '' ? given : this.#newTag()
    this.#send('BasicConsumeOk', { consumerTag })
    this.#deliveries.consume(queue, consumerTag, {
      prefetch: this.#prefetch,
      send: (tag, stored) => {
        const { exchange, routingKey } = stored.message
        const about = { consumerTag, deliveryTag: tag, redelivered: isRedelivered(stored), exchange, routingKey }
        this.#sendMessage('BasicDeliver', about, stored)
      },
    })
  }

  #newTag(): string {
    const random = Array.from({ length: 2 }, () => Math.floor(this.#broker.world.random() * 2 ** 32).toString(36))
    return `amq.ctag-${random.join('')}`
  }

  #sendMessage(method: string, fields: Fields, stored: Stored): void {
    const message = { properties: deliveredProperties(stored), content: stored.message.content }
    this.#host.send(encodeMessage(method, this.#number, fields, message))
  }

  #send(method: string, fields: Fields = {}): void {
    this.#host.send(encodeMethod(method, this.#number, fields))
  }
}
