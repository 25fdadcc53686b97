import { MAYBE_PUBLISHED_HEADER } from '@gateway/messaging'
import { until } from '@gateway/messaging/testing'
import { documentOf, documentsWith, entry, idOf, startOutboxFixture, type OutboxFixture } from './outbox-fixture.ts'

let fixture: OutboxFixture
beforeEach(async () => {
  fixture = await startOutboxFixture()
})
afterEach(() => fixture.stop())

const OLD_MS = 60_000
const queued = () => fixture.count(fixture.declared.queues.orderCreated)

test('a submitted event is published byte for byte and cleared from its document', async () => {
  const written = entry('order-1.1')
  await fixture.collection.insertOne(documentOf(written))
  const relay = fixture.relay()
  relay.submit(idOf('order-1'), [written])
  const message = await fixture.take(fixture.declared.queues.orderCreated)
  expect(message.content.toString()).toBe(written.body)
  expect(message.properties).toMatchObject({
    messageId: written.id,
    type: 'order.created',
    correlationId: written.correlation_id,
  })
  await until('it is cleared', async () => (await fixture.unpublished()) === 0)
  expect(await fixture.collection.findOne({ _id: idOf('order-1') })).toEqual({ ...documentOf(written), outbox: [] })
})

test('clearing leaves an event that was added in the meantime', async () => {
  const [first, second] = [entry('order-1.1'), entry('order-1.2')]
  await fixture.collection.insertOne(documentOf(first, second))
  const relay = fixture.relay()
  relay.submit(idOf('order-1'), [first])
  await until(
    'the first is cleared',
    async () => (await fixture.collection.findOne({ _id: idOf('order-1') }))?.outbox.length === 1,
  )
  expect((await fixture.collection.findOne({ _id: idOf('order-1') }))?.outbox).toEqual([second])
})

test('many events are cleared by few commands', async () => {
  const documents = documentsWith(300, 0)
  await fixture.collection.insertMany(documents)
  const relay = fixture.relay({ clearBatchSize: 100 })
  for (const { _id, outbox } of documents) relay.submit(_id, outbox)
  expect(await relay.stop({ deadlineMs: 10_000 })).toBe(true)
  expect(await fixture.unpublished()).toBe(0)
  expect(await queued()).toBe(300)
  expect(fixture.sent('update').length).toBeLessThan(60)
})

// Proves: faults/crash-around-publish
test('after a crash between write and publish another replica publishes the event, once it is old enough', async () => {
  await fixture.collection.insertMany([...documentsWith(5, OLD_MS), documentOf(entry('young.1'))])
  expect(await fixture.relay({ sweepAfterMs: OLD_MS / 2 }).sweepOnce()).toBe(5)
  expect(await fixture.unpublished()).toBe(1)
  await until('five are queued', async () => (await queued()) === 5)
  expect(await fixture.relay({ sweepAfterMs: 0 }).sweepOnce()).toBe(1)
})

// Proves: faults/crash-around-publish
test('a crash between publish and clear publishes the same event again, under the same id', async () => {
  const written = entry('order-1.1', OLD_MS)
  await fixture.collection.insertOne(documentOf(written))
  const dying = fixture.relay({
    collection: Object.assign(Object.create(fixture.collection) as typeof fixture.collection, {
      updateMany: () => Promise.reject(new Error('crash')),
    }),
  })
  expect(await dying.sweepOnce()).toBe(0)
  expect(await fixture.relay().sweepOnce()).toBe(1)
  const twice = [
    await fixture.take(fixture.declared.queues.orderCreated),
    await fixture.take(fixture.declared.queues.orderCreated),
  ]
  expect(twice.map(({ properties }) => String(properties.messageId))).toEqual([written.id, written.id])
  // A process that died may have published before it cleared, so a sweep marks every event.
  for (const { properties } of twice) expect(properties.headers?.[MAYBE_PUBLISHED_HEADER]).toBe(true)
})

test('an event that another replica may soon find is cleared at once, so that it is not published twice', async () => {
  const [late, fresh] = [entry('late.1', OLD_MS), entry('fresh.1', 0)]
  await fixture.collection.insertMany([documentOf(late), documentOf(fresh)])
  const writer = fixture.relay({ clearDelayMs: 60_000, sweepAfterMs: OLD_MS })
  writer.submit(idOf('fresh'), [fresh])
  await until('it is published', async () => (await queued()) === 1)
  expect(await fixture.unpublished()).toBe(2)
  writer.submit(idOf('late'), [late])
  await until('both are cleared', async () => (await fixture.unpublished()) === 0)
  expect(await fixture.relay().sweepOnce()).toBe(0)
  expect(await queued()).toBe(2)
})

test('one step is bounded, and a running relay repeats it until nothing is left', async () => {
  await fixture.collection.insertMany(documentsWith(50, OLD_MS))
  const relay = fixture.relay({ sweepLimit: 7 })
  expect(await relay.sweepOnce(7)).toBe(7)
  expect(await fixture.unpublished()).toBe(43)
  relay.start()
  await until('nothing is left', async () => (await fixture.unpublished()) === 0)
  expect(await queued()).toBe(50)
})

test('events that cannot be published do not block those behind them, and are back-pressure until they can be', async () => {
  await fixture.collection.insertMany([...documentsWith(20, OLD_MS, 'nobody.listens'), ...documentsWith(20, OLD_MS)])
  const relay = fixture.relay({ sweepLimit: 5 })
  relay.start()
  await until('the others are published', async () => (await fixture.unpublished()) === 20)
  expect(await queued()).toBe(20)
  await until('a pass has ended', () => relay.pressure() === 'backlog')

  const channel = await fixture.direct.createChannel()
  await channel.bindQueue(fixture.declared.queues.orderCreated.name, fixture.declared.exchanges.events.name, 'nobody.listens')
  await until('all are published', async () => (await fixture.unpublished()) === 0)
  await until('the pressure ends', () => relay.pressure() === 'ok')
})

// Proves: faults/broker-away-loses-no-event
test('while the broker is away memory stays bounded and the backlog is reported; everything is published when it is back', async () => {
  const documents = documentsWith(500, 10_000)
  const relay = fixture.relay({ maxQueued: 20, maxInFlight: 10, maxUnpublished: 300 })
  relay.start()
  fixture.proxy.cut()
  await until('the loss is known', () => fixture.publisher.state === 'down')
  expect(relay.pressure()).toBe('ok')
  await fixture.collection.insertMany(documents)
  for (const { _id, outbox } of documents) relay.submit(_id, outbox)
  expect(relay.stats()).toMatchObject({ inMemory: 0, leftToSweep: 500 })
  await until('the pressure is known', () => relay.pressure() === 'backlog')

  fixture.proxy.restore()
  await until('nothing is left', async () => (await fixture.unpublished()) === 0)
  await until('the pressure ends', () => relay.pressure() === 'ok')
  await until('all are queued', async () => (await queued()) >= 500)
})

test('a queued event is published as soon as the broker is back, and is not marked as maybe published', async () => {
  const written = entry('order-1.1')
  await fixture.collection.insertOne(documentOf(written))
  const relay = fixture.relay({ publishDelayMs: 60_000 })
  relay.submit(idOf('order-1'), [written])
  fixture.proxy.cut()
  await until('the loss is known', () => fixture.publisher.state === 'down')
  expect(relay.stats()).toMatchObject({ queued: 1, failed: 0 })

  fixture.proxy.restore()
  const { properties } = await fixture.take(fixture.declared.queues.orderCreated)
  expect(properties.messageId).toBe(written.id)
  expect(properties.headers?.[MAYBE_PUBLISHED_HEADER]).toBeUndefined()
  await until('it is cleared', async () => (await fixture.unpublished()) === 0)
  expect(relay.stats()).toMatchObject({ published: 1, failed: 0, inMemory: 0 })
})

test('stop publishes events that are still delayed', async () => {
  const documents = documentsWith(3, 0)
  await fixture.collection.insertMany(documents)
  const relay = fixture.relay({ publishDelayMs: 60_000 })
  for (const { _id, outbox } of documents) relay.submit(_id, outbox)
  expect(await relay.stop({ deadlineMs: 10_000 })).toBe(true)
  expect(await fixture.unpublished()).toBe(0)
  expect(await queued()).toBe(3)
})

test('a broker lost with events in flight: they are sent again when it is back, as maybe published', async () => {
  // Of the 200, those that are left to the sweep are old enough for it.
  const documents = [...documentsWith(150, 10_000), ...documentsWith(200, 60_000).slice(150)]
  await fixture.collection.insertMany(documents)
  const relay = fixture.relay({ maxInFlight: 50, maxQueued: 100, sweepAfterMs: 30_000 })
  fixture.proxy.freeze()
  for (const { _id, outbox } of documents) relay.submit(_id, outbox)
  expect(relay.stats()).toMatchObject({ inMemory: 150, queued: 100, leftToSweep: 50 })
  expect(relay.pressure()).toBe('backlog')
  fixture.proxy.cut()
  await until('what was in flight waits', () => relay.stats().queued === 150)
  fixture.proxy.restore()
  await until('what was in memory is published', () => relay.stats().published === 150)
  expect(relay.stats().failed).toBe(0)
  relay.start()
  await until('nothing is left', async () => (await fixture.unpublished()) === 0)
  await until('the pressure ends', () => relay.pressure() === 'ok')
  expect(relay.stats().inMemory).toBe(0)
  const [ids, maybePublished] = [new Set<string>(), new Set<string>()]
  while (ids.size < 200) {
    const { messageId, headers } = (await fixture.take(fixture.declared.queues.orderCreated)).properties
    ids.add(String(messageId))
    if (headers?.[MAYBE_PUBLISHED_HEADER] === true) maybePublished.add(String(messageId))
  }
  // 50 that were in flight and 50 that a sweep found.
  expect(maybePublished.size).toBe(100)
})
