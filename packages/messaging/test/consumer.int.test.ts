import { silentLog } from '@gateway/service-kit'
import { consume, type Consumer, type HandleMessage, type IncomingMessage, type Outcome } from '../src/index.ts'
import { orderCreated, startFixture, until, type Fixture } from './fixture.ts'

let fixture: Fixture
let consumer: Consumer | undefined
beforeEach(async () => {
  fixture = await startFixture()
})
afterEach(async () => {
  await consumer?.stop({ deadlineMs: 1_000 })
  await fixture.stop()
})

function start(handle: HandleMessage, prefetch = 10): Consumer {
  const { broker, publisher, declared } = fixture
  return (consumer = consume(broker, {
    queue: declared.queues.orderCreated,
    prefetch,
    handle,
    publisher,
    log: silentLog,
    random: () => 0,
  }))
}
/** Whether the queue and its dead queue are both empty, including unacknowledged deliveries. */
async function nothingLeft(): Promise<boolean> {
  const { orderCreated: source, paymentStatusDead } = fixture.declared.queues
  return (await fixture.count(source)) === 0 && (await fixture.count(paymentStatusDead)) === 0
}

test('an acknowledged message was handled once, and is in no queue', async () => {
  const seen: IncomingMessage[] = []
  start(async (message) => {
    seen.push(message)
    return 'ack'
  })
  await fixture.publisher.publish(orderCreated(fixture.declared, 'event-1', { headers: { attempt: 2 } }))
  await until('it was handled', () => seen.length === 1)
  expect(seen[0]).toMatchObject({
    messageId: 'event-1',
    type: 'order.created',
    correlationId: 'correlation-1',
    routingKey: 'order.created',
    redelivered: false,
    deliveryCount: 1,
    publishedAtMs: expect.any(Number),
    headers: { attempt: 2 },
  })
  expect(seen[0]?.body.toString()).toBe('{"id":"event-1"}')
  await consumer?.stop({ deadlineMs: 1_000 })
  expect(await nothingLeft()).toBe(true)
})

// Proves: broker/poison-is-dead-lettered-at-once
test('a dead-lettered message is in the dead queue with its reason, and the source queue is empty', async () => {
  start(async () => ({ dead: 'unknown version 7' }))
  await fixture.publisher.publish(orderCreated(fixture.declared, 'event-1'))
  const dead = await fixture.take(fixture.declared.queues.paymentStatusDead)
  expect(dead.content.toString()).toBe('{"id":"event-1"}')
  expect(dead.properties).toMatchObject({
    messageId: 'event-1',
    type: 'order.created',
    correlationId: 'correlation-1',
    deliveryMode: 2,
  })
  expect(dead.properties.headers).toEqual({
    'dead-reason': 'unknown version 7',
    'dead-queue': fixture.declared.queues.orderCreated.name,
    'dead-routing-key': 'order.created',
  })
  await consumer?.stop({ deadlineMs: 1_000 })
  expect(await nothingLeft()).toBe(true)
})

// Proves: broker/failing-handler-gets-a-redelivery
test('a handler that fails gets the message again, with a growing delivery count, until it succeeds', async () => {
  const deliveries: number[] = []
  start(async ({ deliveryCount }) => {
    deliveries.push(deliveryCount)
    if (deliveries.length === 1) throw new Error('database away')
    return deliveries.length < 4 ? 'retry' : 'ack'
  })
  await fixture.publisher.publish(orderCreated(fixture.declared))
  await until('the fourth delivery', () => deliveries.length === 4)
  expect(deliveries).toEqual([1, 2, 3, 4])
  await consumer?.stop({ deadlineMs: 1_000 })
  expect(await nothingLeft()).toBe(true)
})

// Proves: broker/handler-error-own-dead-lettered
test('messages that always fail are dead-lettered after five tries, and those behind them are handled', async () => {
  const seen: string[] = []
  start(async ({ messageId }) => {
    seen.push(messageId)
    if (messageId.startsWith('broken')) throw new TypeError('this message cannot be handled')
    return 'ack'
  }, 2)
  const { declared, publisher } = fixture
  for (const id of ['broken-1', 'broken-2', 'good']) await publisher.publish(orderCreated(declared, id))
  await until('the good one is handled', () => seen.includes('good'))
  const dead = [await fixture.take(declared.queues.paymentStatusDead), await fixture.take(declared.queues.paymentStatusDead)]
  expect(dead.map(({ properties }) => String(properties.messageId)).toSorted()).toEqual(['broken-1', 'broken-2'])
  for (const { properties } of dead) expect(properties.headers).toMatchObject({ 'dead-reason': 'handler_failed: TypeError' })
  for (const id of ['broken-1', 'broken-2']) expect(seen.filter((one) => one === id)).toHaveLength(5)
  await consumer?.stop({ deadlineMs: 1_000 })
  expect(await nothingLeft()).toBe(true)
})

// Proves: broker/bounded-prefetch
test('at most prefetch deliveries are handled at once', async () => {
  let handled = 0
  const gate = Promise.withResolvers<Outcome>()
  start(() => gate.promise.finally(() => (handled += 1)), 3)
  await Promise.all(Array.from({ length: 10 }, () => fixture.publisher.publish(orderCreated(fixture.declared))))
  await until('three are in hand', () => consumer?.inFlight === 3)
  await until('seven wait', async () => (await fixture.count(fixture.declared.queues.orderCreated)) === 7)
  gate.resolve('ack')
  await until('all are handled', () => handled === 10)
})

// Proves: broker/manual-ack
test('after a connection is lost before the ack, the message is delivered again and the consumer continues', async () => {
  const seen: [id: string, redelivered: boolean][] = []
  const lost = Promise.withResolvers<Outcome>()
  start(async ({ messageId, redelivered }) => {
    seen.push([messageId, redelivered])
    return seen.length === 1 ? lost.promise : 'ack'
  })
  await fixture.publisher.publish(orderCreated(fixture.declared, 'event-1'))
  await until('the first delivery', () => seen.length === 1)
  fixture.proxy.cut()
  await until('the loss is known', () => fixture.broker.state === 'down')
  lost.resolve('ack')
  fixture.proxy.restore()
  await until('the second delivery', () => seen.length === 2)
  await until('the publisher is back', () => fixture.publisher.state === 'up')
  await fixture.publisher.publish(orderCreated(fixture.declared, 'event-2'))
  await until('the next message', () => seen.length === 3)
  expect(seen).toEqual([
    ['event-1', false],
    ['event-1', true],
    ['event-2', false],
  ])
  await consumer?.stop({ deadlineMs: 1_000 })
  expect(await nothingLeft()).toBe(true)
})

test('a deleted queue is consumed again once it exists again', async () => {
  const seen: string[] = []
  start(async ({ messageId }) => {
    seen.push(messageId)
    return 'ack'
  })
  await fixture.publisher.publish(orderCreated(fixture.declared, 'event-1'))
  await until('the first message', () => seen.length === 1)
  const channel = await fixture.direct.createChannel()
  await channel.deleteQueue(fixture.declared.queues.orderCreated.name)
  fixture.proxy.cut()
  fixture.proxy.restore()
  await until('the second message', async () => {
    await fixture.publisher.publish(orderCreated(fixture.declared, 'event-2')).catch(() => undefined)
    return seen.includes('event-2')
  })
})

test('stop waits for running handlers, acknowledges their messages and takes no new ones', async () => {
  const gate = Promise.withResolvers<Outcome>()
  let started = 0
  const stopping = start(() => {
    started += 1
    return gate.promise
  }, 1)
  await fixture.publisher.publish(orderCreated(fixture.declared))
  await fixture.publisher.publish(orderCreated(fixture.declared, 'later'))
  await until('one runs', () => started === 1)
  const stopped = stopping.stop({ deadlineMs: 10_000 })
  gate.resolve('ack')
  expect(await stopped).toBe(true)
  expect(started).toBe(1)
  expect((await fixture.take(fixture.declared.queues.orderCreated)).properties.messageId).toBe('later')
  expect(await nothingLeft()).toBe(true)
})

test('a handler may acknowledge before it ends: the next message comes, a stop waits for it, and its failure brings nothing back', async () => {
  const gate = Promise.withResolvers<Outcome>()
  const seen: string[] = []
  start(async ({ messageId }, acknowledge) => {
    seen.push(messageId)
    if (messageId !== 'event-1') return 'ack'
    acknowledge()
    return gate.promise
  }, 1)
  for (const id of ['event-1', 'event-2']) await fixture.publisher.publish(orderCreated(fixture.declared, id))
  await until('the next message was handled', () => seen.includes('event-2'))
  const stopped = consumer?.stop({ deadlineMs: 10_000 })
  gate.reject(new Error('it failed later'))
  expect(await stopped).toBe(true)
  expect(seen).toEqual(['event-1', 'event-2'])
  expect(await nothingLeft()).toBe(true)
})

test('stop ends at its deadline; unacknowledged messages go to another consumer', async () => {
  let started = 0
  const stopping = start(() => {
    started += 1
    return new Promise(() => undefined)
  })
  await fixture.publisher.publish(orderCreated(fixture.declared, 'event-1'))
  await until('one runs', () => started === 1)
  expect(await stopping.stop({ deadlineMs: 50 })).toBe(false)
  expect((await fixture.take(fixture.declared.queues.orderCreated)).fields.redelivered).toBe(true)
})
