import { ChannelError, encodeMessage, encodeMethod, Unsupported, type Fields, type Frame } from './codec.ts'
import { deliveredProperties, isRedelivered, type Message, type Stored } from './message.ts'
import type { Queue, QueueConsumer, StoreResult } from './queue.ts'
import type { Queues } from './queues.ts'

export interface ChannelHost {
  /** The name of the client's process. */
  readonly client: string
  send(bytes: Buffer): void
  /** A whole message has arrived. */
  published(): void
}

interface Consumer extends QueueConsumer {
  readonly queue: Queue
  unacked: number
}

/** Acknowledged; given back, which does not count for the delivery limit; or given back by the end of the channel, which does. */
type Settlement = 'BasicAck' | 'BasicNack' | 'the end'

/** The broker's end of one channel, with its consumers and its deliveries that are not settled. */
export class ServerChannel {
  readonly #queues: Queues
  readonly #number: number
  readonly #host: ChannelHost
  readonly #consumers = new Map<string, Consumer>()
  /** By delivery tag, oldest first. */
  readonly #unacked = new Map<number, { readonly stored: Stored; readonly consumer: Consumer }>()
  #lastTag = 0
  #prefetch = 0
  /** The number of the last message, when the channel confirms; `undefined` when it does not. */
  #published: number | undefined
  /** The message that is arriving: the method, the properties, and the parts of the body come in frames of their own. */
  #incoming = { method: {} as Fields, properties: {} as Fields, parts: [] as Buffer[], left: 0 }
  #isOpen = true
  /** The broker has closed it: what the client sent before it knew is not read. */
  #isClosed = false

  constructor(queues: Queues, number: number, host: ChannelHost) {
    this.#queues = queues
    this.#number = number
    this.#host = host
  }

  accept({ method, fields, size, content }: Frame): void {
    if (this.#isClosed) return
    if (method !== undefined) {
      this.#answer(method, fields)
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
    for (const consumer of this.#consumers.values()) consumer.queue.removeConsumer(consumer)
    this.#settleAll([...this.#unacked.keys()], 'the end')
  }

  /** Runs a method and answers it. An error closes the channel. */
  #answer(method: string, fields: Fields): void {
    try {
      const answer = this.#run(method, fields)
      if (answer) this.#send(`${method}Ok`, answer)
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error
      this.end()
      this.#isClosed = true
      this.#send('ChannelClose', error.fields)
    }
  }

  /** Runs a method. Returns the fields of its answer, which is named `…Ok`; `undefined` when it has none, or has had it. */
  #run(method: string, fields: Fields): Fields | undefined {
    switch (method) {
      case 'ExchangeDeclare':
        this.#queues.declareExchange(fields)
        return {}
      case 'ExchangeBind':
        this.#queues.bindExchange(fields)
        return {}
      case 'ExchangeUnbind':
        this.#queues.unbindExchange(fields)
        return {}
      case 'QueueDeclare': {
        const { name, messages, consumerCount } = this.#queues.declareQueue(fields)
        return { queue: name, messageCount: messages.length, consumerCount }
      }
      case 'QueueDelete':
        return { messageCount: this.#queues.deleteQueue(fields) }
      case 'QueueBind':
        this.#queues.bindQueue(fields)
        return {}
      case 'QueueUnbind':
        this.#queues.unbindQueue(fields)
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
      case 'BasicGet':
        this.#get(fields)
        return undefined
      case 'BasicCancel':
        this.#cancel(String(fields['consumerTag']))
        return { consumerTag: fields['consumerTag'] }
      case 'BasicAck':
      case 'BasicNack':
        if (fields['requeue'] === false) throw new Unsupported('a refusal for good')
        this.#settle(Number(fields['deliveryTag']), fields['multiple'] === true, method)
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
    const isMandatory = method['mandatory'] === true
    const done = (result: StoreResult | 'unrouted'): void => {
      if (result === 'unrouted' && isMandatory) this.#return(message)
      // The node that would confirm it is lost with the message, or with the connection.
      if (number === undefined) return
      if (!this.#isOpen || result === 'lost') this.#queues.observer.onUnconfirmed?.(this.#host.client, message)
      else this.#send('BasicAck', { deliveryTag: number, multiple: false })
    }
    this.#queues.publish(this.#host.client, message, { isMandatory, done })
    this.#host.published()
  }

  /** No queue is bound for a mandatory message: it comes back before its confirm. */
  #return({ exchange, routingKey, properties, content }: Message): void {
    const about = { replyCode: 312, replyText: 'NO_ROUTE', exchange, routingKey }
    this.#host.send(encodeMessage('BasicReturn', this.#number, about, { properties, content }))
  }

  #consume(fields: Fields): void {
    if (fields['exclusive'] === true || fields['noAck'] === true || fields['consumerTag'] !== '')
      throw new Unsupported('consumers that are exclusive, do not acknowledge, or choose their tag')
    const queue = this.#queues.queue(String(fields['queue']), 'BasicConsume')
    const random = Array.from({ length: 2 }, () => Math.floor(this.#queues.world.random() * 2 ** 32).toString(36))
    const consumerTag = `amq.ctag-${random.join('')}`
    this.#send('BasicConsumeOk', { consumerTag })
    const prefetch = this.#prefetch
    const consumer: Consumer = {
      queue,
      unacked: 0,
      canTake: () => consumer.unacked < prefetch,
      cancelled: () => {
        this.#consumers.delete(consumerTag)
        this.#send('BasicCancel', { consumerTag, nowait: true })
      },
      deliver: (stored) => this.#deliver(stored, consumer, 'BasicDeliver', { consumerTag }),
    }
    this.#consumers.set(consumerTag, consumer)
    queue.addConsumer(consumer)
    queue.pump()
  }

  /** Takes one message, if the queue has one now: as a consumer of one message, which leaves at once. */
  #get(fields: Fields): void {
    if (fields['noAck'] === true) throw new Unsupported('a get that does not acknowledge')
    const queue = this.#queues.queue(String(fields['queue']), 'BasicGet')
    const consumer: Consumer = {
      queue,
      unacked: 0,
      canTake: () => consumer.unacked === 0,
      cancelled: () => undefined,
      deliver: (stored) => this.#deliver(stored, consumer, 'BasicGetOk', { messageCount: queue.messages.length }),
    }
    queue.addConsumer(consumer)
    queue.pump()
    queue.removeConsumer(consumer)
    if (consumer.unacked === 0) this.#send('BasicGetEmpty', {})
  }

  #deliver(stored: Stored, consumer: Consumer, method: 'BasicDeliver' | 'BasicGetOk', more: Fields): void {
    consumer.unacked += 1
    consumer.queue.unacked += 1
    const deliveryTag = (this.#lastTag += 1)
    this.#queues.observer.onDeliver?.(this.#host.client, consumer.queue.name, stored)
    this.#unacked.set(deliveryTag, { stored, consumer })
    const { exchange, routingKey, content } = stored.message
    const about = { ...more, deliveryTag, redelivered: isRedelivered(stored), exchange, routingKey }
    this.#host.send(encodeMessage(method, this.#number, about, { properties: deliveredProperties(stored), content }))
  }

  #cancel(consumerTag: string): void {
    const consumer = this.#consumers.get(consumerTag)
    this.#consumers.delete(consumerTag)
    consumer?.queue.removeConsumer(consumer)
  }

  /**
   * Settles one delivery, or all up to it. A tag that is unknown or settled already closes the channel.
   * Source: https://www.rabbitmq.com/docs/confirms#consumer-acks-double-acking
   */
  #settle(tag: number, multiple: boolean, how: 'BasicAck' | 'BasicNack'): void {
    if (this.#unacked.has(tag)) {
      this.#settleAll(multiple ? [...this.#unacked.keys()].filter((one) => one <= tag) : [tag], how)
      return
    }
    throw new ChannelError(406, `unknown delivery tag ${tag}`, how)
  }

  #settleAll(tags: readonly number[], how: Settlement): void {
    const queues = new Set<Queue>()
    for (const tag of tags) {
      const { stored, consumer } = this.#unacked.get(tag) ?? {}
      if (!stored || !consumer) continue
      const { queue } = consumer
      this.#unacked.delete(tag)
      queue.unacked -= 1
      consumer.unacked -= 1
      if (how === 'BasicAck') this.#queues.observer.onAck?.(this.#host.client, queue.name, stored.message)
      else queue.giveBack(stored, { counts: how === 'the end' })
      queues.add(queue)
    }
    for (const queue of queues) queue.pump()
  }

  #send(method: string, fields: Fields): void {
    this.#host.send(encodeMethod(method, this.#number, fields))
  }
}
