import type { Channel, ChannelModel, ConfirmChannel, ConsumeMessage } from 'amqplib'
import { createVirtualWorld, type VirtualWorld } from '../../test/virtual-world.ts'
import { Broker, type BrokerOptions } from '../broker.ts'
import { connectToModel } from './model-connection.ts'

const NODE = 'rabbit-0:5672'
const WORK = { 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish', 'x-delivery-limit': 2 }
const DEAD = { ...WORK, 'x-delivery-limit': -1 }
const TO_DEAD = {
  ...WORK,
  'x-dead-letter-strategy': 'at-least-once',
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': 'dead',
}

interface Started {
  readonly world: VirtualWorld
  readonly broker: Broker
  readonly model: ChannelModel
  readonly channel: ConfirmChannel
  readonly declare: (name: string, given?: object) => Promise<void>
  /** Resolves to what the confirm says. */
  readonly publish: (queue: string, text: string) => Promise<string>
  readonly connect: (name: string) => Promise<ChannelModel>
}

async function start(options: Partial<BrokerOptions> = {}, seed = 1): Promise<Started> {
  const world = createVirtualWorld(seed)
  const broker = new Broker(world, { nodes: [NODE], lagMs: () => 10, ...options })
  const connect = (name: string): Promise<ChannelModel> => world.until(connectToModel(broker, name))
  const model = await connect('publisher')
  model.on('error', () => undefined)
  const channel = await world.until(model.createConfirmChannel())
  channel.on('error', () => undefined)
  return {
    world,
    broker,
    model,
    channel,
    connect,
    async declare(name, given = WORK) {
      await world.until(channel.assertQueue(name, { durable: true, arguments: given }))
    },
    publish: (queue, text) =>
      new Promise((resolve) => {
        const said = (error: unknown) => resolve(error instanceof Error ? error.message : 'confirmed')
        channel.sendToQueue(queue, Buffer.from(text), { persistent: true }, said)
      }),
  }
}

async function consume({ world, connect }: Started, name: string, queue: string, prefetch = 10) {
  const model = await connect(name)
  model.on('error', () => undefined)
  const channel: Channel = await world.until(model.createChannel())
  channel.on('error', () => undefined)
  await world.until(channel.prefetch(prefetch))
  const got: (ConsumeMessage | null)[] = []
  await world.until(channel.consume(queue, (message) => void got.push(message)))
  await world.advance(50)
  const texts = () =>
    got.map((message) => message && `${message.content.toString()}${message.fields.redelivered ? ' again' : ''}`)
  return { model, channel, got, texts }
}

test('deliveries of a lost connection go to another consumer, as redelivered', async () => {
  const started = await start()
  const { world, broker, declare, publish } = started
  await declare('q')
  await world.until(Promise.all([publish('q', '1'), publish('q', '2')]))
  const first = await consume(started, 'first', 'q')
  const second = await consume(started, 'second', 'q')
  expect(first.texts()).toEqual(['1', '2'])
  broker.network.reset((name) => name === 'first')
  await world.advance(50)
  expect(second.texts()).toEqual(['1 again', '2 again'])
  expect(second.got[0]?.properties.headers).toEqual({ 'x-acquired-count': 1, 'x-delivery-count': 1 })
})

test('a process that is gone is noticed, and hears nothing more', async () => {
  const started = await start()
  const { world, broker, declare, publish } = started
  await declare('q')
  const first = await consume(started, 'first', 'q')
  const second = await consume(started, 'second', 'q')
  broker.network.vanish('first')
  await world.advance(50)
  await world.until(publish('q', '1'))
  await world.advance(50)
  expect([first.texts(), second.texts()]).toEqual([[], ['1']])
})

// Proves: faults/rabbitmq-model-loses-nodes
test('a lost node stores an unconfirmed message or loses it; the client cannot tell', async () => {
  const stored = new Set<number | undefined>()
  for (let seed = 1; seed <= 20; seed++) {
    const unconfirmed: string[] = []
    const onUnconfirmed = (client: string): void => void unconfirmed.push(client)
    const { world, broker, declare, publish } = await start({ onUnconfirmed }, seed)
    await declare('q')
    const confirm = publish('q', '1')
    await world.advance(5)
    broker.loseNode(NODE)
    expect(await world.until(confirm)).toBe('channel closed')
    expect(unconfirmed).toEqual(['publisher'])
    stored.add(broker.dump().get('q')?.ready.length)
  }
  expect([...stored].toSorted()).toEqual([0, 1])
})

test('a confirm can be lost with the connection, while the message is stored', async () => {
  const said = new Set<string>()
  for (let seed = 1; seed <= 20; seed++) {
    const { world, broker, declare, publish } = await start({}, seed)
    await declare('q')
    const confirm = publish('q', '1')
    while (broker.dump().get('q')?.ready.length === 0) await world.advance(0.1)
    broker.network.reset((name) => name === 'publisher')
    said.add(await world.until(confirm))
    expect(broker.dump().get('q')?.ready).toHaveLength(1)
  }
  expect([...said].toSorted()).toEqual(['channel closed', 'confirmed'])
})

test('before a node is lost, messages may take longer to be stored, so that more of them are lost with it', async () => {
  const { world, broker, declare, publish } = await start()
  await declare('q')
  broker.slowMs = 1000
  const confirms = Promise.all(Array.from({ length: 20 }, (_, index) => publish('q', String(index))))
  await world.advance(900)
  expect(broker.dump().get('q')?.ready).toHaveLength(0)
  broker.slowMs = 0
  broker.loseNode(NODE)
  expect(new Set(await world.until(confirms))).toEqual(new Set(['channel closed']))
  const left = broker.dump().get('q')?.ready.length
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(20)
})

test('a lost node refuses connections until it is back', async () => {
  const { world, broker, connect } = await start()
  broker.loseNode(NODE)
  await expect(connect('late')).rejects.toThrow('ECONNREFUSED')
  broker.restoreNode(NODE)
  await expect(connect('late')).resolves.toBeDefined()
  await world.advance(1)
})

test('an alarm blocks a connection with its next message, which is stored, and holds what follows', async () => {
  const blocked: string[] = []
  const { world, broker, declare, publish, model } = await start({ onBlocked: (client) => void blocked.push(client) })
  await declare('q')
  const events: string[] = []
  model.on('blocked', (reason) => events.push(`blocked: ${reason}`))
  model.on('unblocked', () => events.push('unblocked'))
  broker.block()
  await world.advance(100)
  expect(events).toEqual([])
  expect(await world.until(publish('q', '1'))).toBe('confirmed')
  const held = publish('q', '2')
  await world.advance(60_000)
  expect(events).toEqual(['blocked: low on memory'])
  expect(blocked).toEqual(['publisher'])
  expect(broker.dump().get('q')?.ready).toHaveLength(1)
  broker.unblock()
  expect(await world.until(held)).toBe('confirmed')
  expect(events).toEqual(['blocked: low on memory', 'unblocked'])
})

test('an expired message is dead-lettered', async () => {
  const started = await start()
  const { world, declare, publish } = started
  await declare('dead', DEAD)
  await declare('wait', { ...TO_DEAD, 'x-message-ttl': 30_000 })
  const { got } = await consume(started, 'consumer', 'dead')
  await world.until(publish('wait', '1'))
  await world.advance(29_900)
  expect(got).toEqual([])
  await world.advance(200)
  expect(got[0]?.fields).toMatchObject({ exchange: '', routingKey: 'dead' })
})

// Proves: faults/rabbitmq-model-loses-nodes
test('at-least-once dead-lettering keeps a message until its target has it, and may copy it when a node is lost', async () => {
  const copies = new Set<number | undefined>()
  for (let seed = 1; seed <= 20; seed++) {
    const { world, broker, declare, publish } = await start({}, seed)
    await declare('wait', { ...TO_DEAD, 'x-message-ttl': 1000 })
    await declare('dead', DEAD)
    await world.until(publish('wait', '1'))
    await world.advance(980)
    while (broker.dump().get('dead')?.ready.length === 0) {
      await world.advance(1)
      const { ready = [], deadLettering = 0 } = broker.dump().get('wait') ?? {}
      expect(ready.length + deadLettering).toBe(1)
    }
    broker.loseNode(NODE)
    await world.advance(1000)
    expect(broker.dump().get('wait')).toMatchObject({ ready: [], deadLettering: 0 })
    copies.add(broker.dump().get('dead')?.ready.length)
  }
  expect([...copies].toSorted()).toEqual([1, 2])
})

// Proves: faults/rabbitmq-model-acts-as-a-broker
test('what the model does not have ends the run', async () => {
  const { world, model } = await start()
  const channel = await world.until(model.createChannel())
  const stream = channel.assertQueue('q', { arguments: { 'x-queue-type': 'stream' } })
  await expect(world.until(stream)).rejects.toThrow(
    'the simulated RabbitMQ does not support queues other than durable quorum queues',
  )
})

// Proves: faults/rabbitmq-model-acts-as-a-broker
test('a message goes through a bound exchange to its queue, and comes back while it is not bound', async () => {
  const { world, channel, declare, broker } = await start()
  const returned: string[] = []
  channel.on('return', ({ content }: ConsumeMessage) => void returned.push(content.toString()))
  await world.until(channel.assertExchange('events', 'topic'))
  await world.until(channel.assertExchange('events.partitions', 'topic', { internal: true }))
  await declare('q.1')
  await world.until(channel.bindQueue('q.1', 'events.partitions', 'order.created.1'))
  const send = async (text: string) => {
    channel.publish('events', 'order.created.1', Buffer.from(text), { mandatory: true, persistent: true })
    await world.advance(50)
    return broker
      .dump()
      .get('q.1')
      ?.ready.map(({ content }) => content.toString())
  }
  expect(await send('early')).toEqual([])
  await world.until(channel.bindExchange('events.partitions', 'events', '*.*.1'))
  expect(await send('one')).toEqual(['one'])
  await world.until(channel.unbindExchange('events.partitions', 'events', '*.*.1'))
  expect(await send('late')).toEqual(['one'])
  expect(returned).toEqual(['early', 'late'])
})

// Proves: faults/rabbitmq-model-acts-as-a-broker
test('a queue is deleted with its messages: its consumers hear of it, and checks do', async () => {
  const deleted: [string, number][] = []
  const started = await start({ onDeleted: (queue, messages) => void deleted.push([queue, messages]) })
  const { world, channel, declare, publish, broker } = started
  await declare('q')
  await world.until(Promise.all(['1', '2', '3'].map((text) => publish('q', text))))
  const { got, texts } = await consume(started, 'consumer', 'q', 1)
  expect(await world.until(channel.checkQueue('q'))).toMatchObject({ messageCount: 2, consumerCount: 1 })
  expect(await world.until(channel.deleteQueue('q'))).toEqual({ messageCount: 2 })
  await world.advance(50)
  expect(texts()).toEqual(['1', null])
  expect(got).toHaveLength(2)
  expect(deleted).toEqual([['q', 3]])
  expect(broker.dump().has('q')).toBe(false)
  expect(await world.until(channel.deleteQueue('q'))).toEqual({ messageCount: 0 })
})

// Proves: faults/rabbitmq-model-acts-as-a-broker
test('a missing queue closes the channel that names it', async () => {
  const { world, model } = await start()
  for (const ask of [
    (channel: Channel) => channel.checkQueue('q'),
    (channel: Channel) => channel.consume('q', () => undefined),
  ]) {
    const channel = await world.until(model.createChannel())
    channel.on('error', () => undefined)
    await expect(world.until(Promise.resolve(ask(channel)))).rejects.toMatchObject({ code: 404 })
  }
})

test('large bodies arrive whole', async () => {
  const started = await start()
  const { world, declare, channel } = started
  await declare('q')
  const body = Buffer.alloc(400_000, 'abc')
  channel.sendToQueue('q', body)
  channel.sendToQueue('q', Buffer.alloc(0))
  const { got } = await consume(started, 'consumer', 'q')
  await world.advance(100)
  expect(got.map((message) => message?.content.equals(body))).toEqual([true, false])
  expect(got[1]?.content).toHaveLength(0)
})

test('checks hear of every message: published, stored, delivered, acknowledged, dead-lettered', async () => {
  const heard: string[] = []
  const started = await start({
    onPublish: (client, { content }, queues) => void heard.push(`${client} published ${content.toString()} to ${queues.join()}`),
    onStored: (queue, { content }) => void heard.push(`${queue} stored ${content.toString()}`),
    onDeliver: (client, queue, { message }) => void heard.push(`${client} got ${message.content.toString()} of ${queue}`),
    onAck: (client, queue, { content }) => void heard.push(`${client} acknowledged ${content.toString()} of ${queue}`),
    onDead: (queue, { content }) => void heard.push(`${content.toString()} has left ${queue}`),
  })
  const { world, declare, publish } = started
  await declare('dead', DEAD)
  await declare('wait', { ...TO_DEAD, 'x-message-ttl': 1000 })
  await declare('q')
  await world.until(publish('q', '1'))
  const { channel, got } = await consume(started, 'consumer', 'q')
  if (got[0]) channel.ack(got[0])
  await world.until(publish('wait', '2'))
  await world.advance(2000)
  expect(heard).toEqual([
    ...['publisher published 1 to q', 'q stored 1', 'consumer got 1 of q', 'consumer acknowledged 1 of q'],
    ...['publisher published 2 to wait', 'wait stored 2', 'dead stored 2', '2 has left wait'],
  ])
})

test('a get takes the oldest message, or says that there is none; a nack gives it back', async () => {
  const started = await start()
  const { world, channel, declare, publish } = started
  await declare('q')
  expect(await world.until(channel.get('q'))).toBe(false)
  for (const text of ['first', 'second']) await world.until(publish('q', text))
  const message = await world.until(channel.get('q'))
  if (!message) throw new Error('there are two messages')
  expect([message.content.toString(), message.fields.messageCount]).toEqual(['first', 1])
  channel.nack(message)
  const { got } = await consume(started, 'consumer', 'q')
  expect(got.map((one) => one?.content.toString())).toEqual(['first', 'second'])
})
