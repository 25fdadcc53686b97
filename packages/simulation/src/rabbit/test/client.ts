import type { Channel, ChannelModel, ConfirmChannel, ConsumeMessage } from 'amqplib'

/** A queue that the tests use, by its part in them. */
export type QueueKey = 'work' | 'delay' | 'dead'
export const QUEUES: readonly QueueKey[] = ['work', 'delay', 'dead']
/** Consumers at once. */
export type Slot = 0 | 1 | 2

export const TTL_MS = 400

/** What one step does. Picks are remainders: the same number picks the same delivery while both sides have the same deliveries. */
export type Step =
  | { readonly do: 'publish'; readonly to: QueueKey | 'nowhere' | 'partition'; readonly count: number }
  /** Binds the exchange of the partition, or unbinds it; deletes the work queue and declares it again. */
  | { readonly do: 'open' | 'shut' | 'delete' }
  | { readonly do: 'consume'; readonly slot: Slot; readonly queue: QueueKey; readonly prefetch: number }
  | { readonly do: 'cancel' | 'close' | 'ack twice'; readonly slot: Slot }
  | { readonly do: 'ack' | 'nack'; readonly slot: Slot; readonly pick: number; readonly multiple: boolean }

interface Consumer {
  readonly channel: Channel
  readonly tag: string
  readonly unsettled: ConsumeMessage[]
}

/** Runs steps on one broker through amqplib, and writes down everything that it hears. */
export class RecordingClient {
  readonly #model: ChannelModel
  readonly #prefix: string
  readonly #consumers = new Map<Slot, Consumer>()
  readonly #heard: string[] = []
  #publisher: ConfirmChannel | undefined
  #count = 0

  constructor(model: ChannelModel, prefix: string) {
    this.#model = model
    this.#prefix = prefix
  }

  /** Everything heard so far; what different queues and channels do at once comes in any order. */
  get heard(): readonly string[] {
    return this.#heard.toSorted()
  }

  async prepare(): Promise<void> {
    const publisher = await this.#model.createConfirmChannel()
    this.#publisher = publisher
    publisher.on('return', ({ content }: ConsumeMessage) => this.#hear(`returned ${content.toString()}`))
    await publisher.assertExchange('amq.topic', 'topic')
    await publisher.assertExchange(this.#partitions, 'topic', { durable: true, internal: true })
    for (const key of QUEUES) await this.#declare(publisher, key)
  }

  async #declare(channel: Channel, key: QueueKey): Promise<void> {
    await channel.assertQueue(this.nameOf(key), { durable: true, arguments: argumentsOf(key, (to) => this.nameOf(to)) })
    for (const last of ['x', 'dead']) await channel.bindQueue(this.nameOf(key), 'amq.topic', `${this.nameOf(key)}.${last}`)
    await channel.bindQueue(this.nameOf(key), this.#partitions, `${this.nameOf(key)}.1`)
  }

  async remove(): Promise<void> {
    for (const key of QUEUES) await this.#publisher?.deleteQueue(this.nameOf(key))
    await this.#model.close()
  }

  /** The exchange of the partition. */
  get #partitions(): string {
    return `${this.#prefix}partitions`
  }

  /** How many messages of a queue are ready. */
  async countOf(key: QueueKey): Promise<number | undefined> {
    return (await this.#publisher?.checkQueue(this.nameOf(key)))?.messageCount
  }

  async run(step: Step): Promise<void> {
    if (step.do === 'publish') this.#publish(step)
    else if (step.do === 'consume') await this.#consume(step)
    else if ('slot' in step) await this.#settle(step)
    else await this.#change(step.do)
  }

  async #change(what: 'open' | 'shut' | 'delete'): Promise<void> {
    const publisher = this.#publisher
    if (!publisher) return
    const every = `${this.#prefix}*.1`
    if (what === 'open') await publisher.bindExchange(this.#partitions, 'amq.topic', every)
    else if (what === 'shut') await publisher.unbindExchange(this.#partitions, 'amq.topic', every)
    else {
      const { messageCount } = await publisher.deleteQueue(this.nameOf('work'))
      this.#hear(`deleted with ${messageCount}`)
      await this.#declare(publisher, 'work')
    }
  }

  #publish({ to, count }: Extract<Step, { do: 'publish' }>): void {
    for (let index = 0; index < count; index++) {
      const text = `m${(this.#count += 1)}`
      const key = to === 'nowhere' ? 'nowhere' : to === 'partition' ? `${this.nameOf('work')}.1` : `${this.nameOf(to)}.x`
      this.#publisher?.publish(
        'amq.topic',
        key,
        Buffer.from(text),
        { persistent: true, messageId: text, headers: { h: 1 }, mandatory: to === 'partition' },
        (error) => this.#hear(`${error instanceof Error ? error.message : 'confirmed'} ${text}`),
      )
    }
  }

  async #consume({ slot, queue, prefetch }: Extract<Step, { do: 'consume' }>): Promise<void> {
    if (this.#consumers.has(slot)) return
    const channel = await this.#model.createChannel()
    channel.on('error', (error: Error & { code?: number }) => {
      this.#hear(`channel ${slot} closed with ${error.code}`)
      this.#consumers.delete(slot)
    })
    await channel.prefetch(prefetch)
    const unsettled: ConsumeMessage[] = []
    const { consumerTag: tag } = await channel.consume(this.nameOf(queue), (message) => {
      this.#hear(`${slot} got ${message ? this.#describe(message) : 'the end'}`)
      if (message) unsettled.push(message)
    })
    this.#consumers.set(slot, { channel, tag, unsettled })
  }

  async #settle(step: Extract<Step, { slot: Slot }>): Promise<void> {
    const consumer = this.#consumers.get(step.slot)
    if (!consumer) return
    const { channel, tag, unsettled } = consumer
    if (step.do === 'cancel') await channel.cancel(tag)
    if (step.do === 'close') {
      this.#consumers.delete(step.slot)
      await channel.close()
    }
    const last = unsettled.at(-1)
    if (step.do === 'ack twice' && last) {
      channel.ack(last)
      channel.ack(last)
    }
    if (!('pick' in step) || !last) return
    const at = step.pick % unsettled.length
    const message = unsettled[at] ?? last
    unsettled.splice(step.multiple ? 0 : at, step.multiple ? at + 1 : 1)
    if (step.do === 'ack') channel.ack(message, step.multiple)
    else channel.nack(message, step.multiple, true)
  }

  #describe({ content, fields, properties }: ConsumeMessage): string {
    // The model has none of the headers that tell where a message died.
    const headers = Object.entries(properties.headers ?? {}).filter(([name]) => !name.includes('-death'))
    const shown = headers.map(([name, value]) => `${name}=${JSON.stringify(value)}`).toSorted()
    const text = `${content.toString()} from ${fields.exchange}/${fields.routingKey} tag ${fields.deliveryTag} ${fields.redelivered ? 'again' : 'first'} ${shown.join()}`
    return text.replaceAll(this.#prefix, '')
  }

  #hear(text: string): void {
    this.#heard.push(text.replaceAll(this.#prefix, ''))
  }

  nameOf(key: QueueKey): string {
    return `${this.#prefix}${key}`
  }
}

/** As `packages/messaging` declares them, with a low delivery limit and a short delay. */
function argumentsOf(key: QueueKey, name: (key: QueueKey) => string): Record<string, string | number> {
  const quorum = { 'x-queue-type': 'quorum' }
  const deadTo = (to: QueueKey) => ({
    ...quorum,
    'x-overflow': 'reject-publish',
    'x-dead-letter-strategy': 'at-least-once',
    'x-dead-letter-exchange': 'amq.topic',
    'x-dead-letter-routing-key': `${name(to)}.dead`,
    'x-delivery-limit': 2,
  })
  if (key === 'work') return deadTo('dead')
  if (key === 'delay') return { ...deadTo('work'), 'x-message-ttl': TTL_MS }
  return { ...quorum, 'x-overflow': 'reject-publish', 'x-delivery-limit': -1 }
}
