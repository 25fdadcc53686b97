import type { Socket } from 'node:net'
import { silentLog } from '@gateway/service-kit'
import { socketOf } from '../src/amqp.ts'
import { createPublisher, untilWritten } from '../src/index.ts'
import { orderCreated, startFixture, until, type Fixture } from './fixture.ts'

/** `connection.blocked` with the reason `low on memory`, as RabbitMQ sends it (AMQP 0-9-1 class 10, method 60). */
const BLOCKED = methodFrame(60, Buffer.concat([Buffer.from([13]), Buffer.from('low on memory')]))
const UNBLOCKED = methodFrame(61, Buffer.alloc(0))

let fixture: Fixture
beforeEach(async () => {
  fixture = await startFixture({ confirmTimeoutMs: 30_000, maxInFlight: 500 })
})
afterEach(() => fixture.stop())

// Proves: broker/persistent-messages
test('a confirmed message is in its queue, persistent, with all its properties', async () => {
  const { publisher, declared } = fixture
  await publisher.publish(orderCreated(declared, 'event-1', { headers: { attempt: 2 } }))
  const { content, properties, fields } = await fixture.take(declared.queues.orderCreated)
  expect(JSON.parse(content.toString())).toEqual({ id: 'event-1' })
  expect(fields.routingKey).toBe('order.created')
  expect(properties).toMatchObject({
    deliveryMode: 2,
    contentType: 'application/json',
    messageId: 'event-1',
    type: 'order.created',
    correlationId: 'correlation-1',
    timestamp: 1_700_000_000,
    headers: { attempt: 2 },
  })
})

async function publishersSocket(): Promise<Socket> {
  const socket = socketOf(await fixture.broker.publishing.connected())
  if (!socket) throw new Error('amqplib has no socket')
  return socket
}

test('after untilWritten a message is on the socket, before its confirm', async () => {
  const { publisher, declared } = fixture
  const socket = await publishersSocket()
  const message = orderCreated(declared, 'event-1')
  for (let round = 0; round < 20; round++) {
    const before = socket.bytesWritten
    let isConfirmed = false
    const published = publisher.publish(message).then(() => (isConfirmed = true))
    expect(socket.bytesWritten).toBe(before)
    await untilWritten()
    expect(socket.bytesWritten - before).toBeGreaterThan(message.body.length)
    // Nothing is held back on our side: `bytesWritten` counts that, too.
    expect(socket.writableLength).toBe(0)
    expect(isConfirmed).toBe(false)
    await published
  }
})

test('messages published together leave by one system call', async () => {
  const { publisher, declared } = fixture
  const socket = await publishersSocket()
  const calls: number[] = []
  const writev = socket._writev?.bind(socket)
  socket._writev = (chunks, done) => {
    calls.push(chunks.length)
    writev?.(chunks, done)
  }
  await Promise.all(Array.from({ length: 10 }, (_, index) => publisher.publish(orderCreated(declared, `event-${index}`))))
  expect(calls).toEqual([10])
})

// Proves: broker/returned-message-is-a-failure
test('only the message without a bound queue is rejected', async () => {
  const { publisher, declared } = fixture
  const ids = Array.from({ length: 50 }, (_, index) => `event-${index % 25}`)
  const results = await Promise.allSettled(
    ids.map((id, index) => publisher.publish(orderCreated(declared, id, index % 2 ? { routingKey: 'order.unknown' } : {}))),
  )
  results.forEach((result, index) => {
    if (index % 2) expect(result).toMatchObject({ status: 'rejected', reason: { code: 'publish_returned' } })
    else expect(result.status).toBe('fulfilled')
  })
  await until('25 messages', async () => (await fixture.count(declared.queues.orderCreated)) === 25)
})

test('a full queue refuses the message', async () => {
  const { publisher, direct, declared } = fixture
  const channel = await direct.createChannel()
  const { queue } = await channel.assertQueue('', {
    exclusive: true,
    arguments: { 'x-max-length': 0, 'x-overflow': 'reject-publish' },
  })
  await channel.bindQueue(queue, declared.exchanges.events.name, 'order.refused')
  await expect(publisher.publish(orderCreated(declared, 'event-1', { routingKey: 'order.refused' }))).rejects.toMatchObject({
    code: 'publish_refused',
  })
})

// Proves: broker/publisher-confirms-timeout
test('a missing confirm is a timeout, and a late confirm does no harm', async () => {
  const { broker, declared, proxy } = fixture
  const publisher = createPublisher(broker, { confirmTimeoutMs: 1_000, maxInFlight: 1, log: silentLog })
  await until('the publisher is up', () => publisher.state === 'up')
  proxy.freeze()
  await expect(publisher.publish(orderCreated(declared, 'event-1'))).rejects.toMatchObject({ code: 'publish_timeout' })
  proxy.restore()
  // A busy broker may take longer than that, too.
  await until('the next one is confirmed', () =>
    publisher.publish(orderCreated(declared, 'event-2')).then(
      () => true,
      () => false,
    ),
  )
  expect((await fixture.take(declared.queues.orderCreated)).properties.messageId).toBe('event-1')
})

test('a message above the in-flight limit is refused at once', async () => {
  const { publisher, declared, proxy } = fixture
  proxy.freeze()
  const inFlight = Promise.allSettled(Array.from({ length: 500 }, () => publisher.publish(orderCreated(declared))))
  await expect(publisher.publish(orderCreated(declared))).rejects.toMatchObject({ code: 'publish_overloaded' })
  proxy.restore()
  expect((await inFlight).every(({ status }) => status === 'fulfilled')).toBe(true)
})

test('a lost connection rejects everything in flight; the publisher reconnects by itself', async () => {
  const { publisher, declared, proxy, broker } = fixture
  const states: string[] = []
  broker.onStateChange((state) => states.push(state))
  proxy.freeze()
  const inFlight = Promise.allSettled(Array.from({ length: 20 }, () => publisher.publish(orderCreated(declared))))
  proxy.cut()
  for (const result of await inFlight)
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'broker_unavailable' } })
  await until('the loss is known', () => broker.state === 'down')
  await expect(publisher.publish(orderCreated(declared))).rejects.toMatchObject({ code: 'broker_unavailable' })

  proxy.restore()
  await until('the publisher is back', () => publisher.state === 'up')
  await publisher.publish(orderCreated(declared, 'after'))
  expect((await fixture.take(declared.queues.orderCreated)).properties.messageId).toBe('after')
  await until('the broker is up', () => broker.state === 'up')
  expect(states).toEqual(['down', 'up'])
})

// Proves: broker/declaring-is-idempotent
test('an exchange that is deleted is declared again after the connection is lost', async () => {
  const { publisher, declared, proxy, direct } = fixture
  const channel = await direct.createChannel()
  await channel.deleteExchange(declared.exchanges.events.name)
  await expect(publisher.publish(orderCreated(declared))).rejects.toMatchObject({ code: 'broker_unavailable' })
  proxy.cut()
  proxy.restore()
  await until('a publish is confirmed', () =>
    publisher.publish(orderCreated(declared)).then(
      () => true,
      () => false,
    ),
  )
})

// Proves: broker/blocked-connection-is-away
test('a blocked connection refuses messages until it is unblocked', async () => {
  const { publisher, declared, proxy, broker } = fixture
  proxy.inject(BLOCKED)
  await until('blocked', () => publisher.state === 'blocked')
  expect(broker.state).toBe('blocked')
  await expect(publisher.publish(orderCreated(declared))).rejects.toMatchObject({ code: 'broker_unavailable' })
  proxy.inject(UNBLOCKED)
  await until('unblocked', () => publisher.state === 'up' && broker.state === 'up')
  await publisher.publish(orderCreated(declared))
})

function methodFrame(methodId: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(11)
  head.writeUInt8(1, 0)
  head.writeUInt32BE(4 + payload.length, 3)
  head.writeUInt16BE(10, 7)
  head.writeUInt16BE(methodId, 9)
  return Buffer.concat([head, payload, Buffer.from([0xce])])
}
