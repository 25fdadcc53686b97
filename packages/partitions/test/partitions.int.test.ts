import { eventually } from '@gateway/testkit'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = await startWorld()
})
afterEach(() => world.stop())

/** Creates orders until `work` has ended. */
async function underLoad(
  publishers: readonly { create(count: number): Promise<void> }[],
  work: () => Promise<void>,
): Promise<void> {
  let hasEnded = false
  const loads = publishers.map(async (publisher) => {
    while (!hasEnded) await publisher.create(5)
  })
  await work().finally(() => (hasEnded = true))
  await Promise.all(loads)
}

// Proves: broker/more-and-fewer-partitions-lose-nothing
test('more and fewer partitions under load, with publishers of both numbers: every event is handled, and nothing is left', async () => {
  const consumers = [await world.start('payment-status'), await world.start('payment-status')]
  const first = await world.start('order-api')
  await underLoad([first], () => world.change(4))
  await world.allHandled()
  expect(world.partitionsUsed()).toEqual(new Set([0]))

  const second = await world.start('order-api', 4)
  await Promise.all([first.create(20), second.create(40)])
  await world.allHandled()
  expect(world.partitionsUsed()).toEqual(new Set([0, 1, 2, 3]))

  await expect(world.change(2)).rejects.toThrow('A replica of order-api publishes to more than 2 partitions.')
  await second.create(20)
  await second.stop()
  const third = await world.start('order-api', 2)
  await underLoad([first, third], () => world.change(2))
  await world.allHandled()
  const [, ofConsumer] = await world.states()
  expect(ofConsumer).toMatchObject({ consumed: 2, open: 2, replicas: [{ consumes: 2 }, { consumes: 2 }] })
  expect(ofConsumer?.queues.map(({ partition, messages, consumers: count }) => [partition, messages, count])).toEqual([
    [0, 0, consumers.length],
    [1, 0, consumers.length],
  ])
})

// Proves: broker/closed-partition-returns
test('the message of a late publisher is returned and stays in its outbox; another replica delivers it', async () => {
  await world.start('payment-status')
  await world.change(4)
  const late = await world.start('order-api', 4)
  // The publisher has not heard of it yet.
  await world.store('order-api').record({ open: 2 })
  await world.operatorOf('order-api').open(2)
  await late.create(20)
  await eventually(async () =>
    expect(await world.documents.countDocuments({ 'outbox.at': { $exists: true } })).toBeGreaterThan(5),
  )
  await world.start('order-api', 2)
  await world.allHandled()
  expect(world.partitionsUsed()).toEqual(new Set([0, 1]))
})

test('a publisher of partitions that are not open does not start, and names variable and command', async () => {
  await expect(world.start('order-api', 4)).rejects.toThrow(
    'QUEUE_PARTITIONS is 4, and only 1 of them are open: run npm run partitions -- 4 first',
  )
  await world.store('order-api').begin(4)
  await world.start('payment-status')
  await (await world.start('order-api', 4)).stop()
  // A deployment that has a number keeps it.
  await world.store('order-api').begin(1)
  expect(await world.store('order-api').read()).toEqual({ consumed: 4, open: 4 })
})

// Proves: broker/more-and-fewer-partitions-lose-nothing
test('a replica is killed while it gives partitions up: its messages are read before their queues are deleted', async () => {
  const held = await world.start('payment-status', 1, { isHeld: true })
  await world.change(4)
  const publisher = await world.start('order-api', 4)
  await publisher.create(20)
  await publisher.stop()
  const last = world.topology.partition('orderCreated', 3).name
  await eventually(async () => expect(await world.admin.look(last)).toEqual({ messages: 0, consumers: 1 }))
  // All messages are in hand, and half of them wait for a handler.
  expect(world.held()).toBe(10)
  await world.store('payment-status').record({ consumed: 1 })
  // It gives back what waits for a handler.
  await eventually(async () => {
    const queues = [1, 2, 3].map((partition) => world.topology.partition('orderCreated', partition).name)
    const depths = await Promise.all(queues.map((name) => world.admin.depth(name)))
    expect(depths.some((depth = 0) => depth > 0)).toBe(true)
  })
  await held.kill()
  await world.start('payment-status')
  await world.change(1)
  expect(world.said.join()).toContain('messages are left in the other partitions')
  await world.allHandled()
  expect(world.partitionsUsed()).toEqual(new Set([0, 1, 2, 3]))
  expect(await world.admin.look(last)).toBeUndefined()
})

// Proves: broker/more-and-fewer-partitions-lose-nothing
test('a queue that is counted as empty because its leader is silent is not deleted with its messages', async () => {
  await world.change(2)
  const publisher = await world.start('order-api', 2)
  await publisher.create(20)
  await publisher.stop()
  world.silenceLeaders(true)
  const changing = world.change(1)
  await eventually(() => expect(world.said.join()).toContain('order-created.1 has a message; waiting'))
  world.silenceLeaders(false)
  await world.start('payment-status')
  await changing
  await world.allHandled()
  expect(world.partitionsUsed()).toEqual(new Set([0, 1]))
})

// Proves: broker/partitions-go-back
test('interrupted on the way to more, the same command with the old number goes back', async () => {
  await world.start('payment-status')
  const publisher = await world.start('order-api')
  await underLoad([publisher], async () => {
    expect(await world.operatorOf('payment-status').consume(8)).toBe(true)
    await world.change(1)
  })
  await world.allHandled()
  const [ofPublisher, ofConsumer] = await world.states()
  expect([ofPublisher?.open, ofConsumer?.consumed, ofConsumer?.queues.length]).toEqual([1, 1, 1])
})

test('each replica says to how many partitions it publishes, and how many it consumes', async () => {
  const { metrics } = await world.start('payment-status')
  await world.change(2)
  expect(await metrics.registry.metrics()).toMatch(/^queue_partitions\{[^}]*kind="consumed"[^}]*\} 2$/mu)
})
