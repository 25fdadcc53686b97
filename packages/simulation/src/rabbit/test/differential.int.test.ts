import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'amqplib'
import fc from 'fast-check'
import { createVirtualWorld } from '../../test/virtual-world.ts'
import { Broker } from '../broker.ts'
import { QUEUES, RecordingClient, TTL_MS, type Step } from './client.ts'
import { connectToModel } from './model-connection.ts'

/**
 * Random steps on the model and on a real RabbitMQ, through the real amqplib: deliveries with their headers, confirms, closed
 * channels and the counts of the queues must be equal after every step. What several queues do at once has no promised order,
 * so it is compared without one; delivery tags keep the order of each consumer.
 */
const { AMQP_URL: url = '' } = process.env
const prefix = `sim${randomBytes(5).toString('hex')}.`

const slot = fc.constantFrom(0, 1, 2)
const pick = fc.nat({ max: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('publish'),
      to: fc.constantFrom('work', 'work', 'delay', 'nowhere', 'partition'),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('consume'),
      slot,
      queue: fc.constantFrom('work', 'work', 'dead'),
      prefetch: fc.constantFrom(1, 2, 10),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('open', 'shut', 'delete') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('cancel', 'close', 'ack twice'), slot }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('close'), slot }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ack'), slot, pick, multiple: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('nack'), slot, pick, multiple: fc.boolean() }) },
)

/** More than the model's network and lag take, less than `TTL_MS`. */
const SETTLE_MS = 50
const WITHIN_MS = 5_000

async function check(steps: readonly Step[]): Promise<void> {
  const world = createVirtualWorld()
  const broker = new Broker(world, { nodes: ['rabbit-0:5672'], lagMs: () => 0.1 })
  const own = `${prefix}${randomBytes(3).toString('hex')}.`
  const model = new RecordingClient(await world.until(connectToModel(broker)), own)
  const real = new RecordingClient(await connect(url), own)
  await Promise.all([world.until(model.prepare()), real.prepare()])
  try {
    for (const [index, one] of steps.entries()) {
      await world.until(model.run(one))
      await world.advance(SETTLE_MS)
      await real.run(one)
      // Its messages expire within the step, since both sides do not have the same clock.
      if (one.do === 'publish' && one.to === 'delay') await Promise.all([world.advance(2 * TTL_MS), sleep(TTL_MS)])
      const expected = { index, step: one, heard: model.heard, counts: countsIn(broker, model) }
      expect(await eventually(real, expected, { index, step: one })).toEqual(expected)
    }
    // A delivery too many on the real side would come now.
    await sleep(SETTLE_MS)
    expect(real.heard).toEqual(model.heard)
  } finally {
    await real.remove()
    await world.until(model.remove())
  }
}

/** How many messages of each queue are ready in the model. */
function countsIn(broker: Broker, client: RecordingClient): (number | undefined)[] {
  const dump = broker.dump()
  return QUEUES.map((key) => dump.get(client.nameOf(key))?.ready.length)
}

/** What the real broker has come to: as soon as it is what the model says, or when the time is over. */
async function eventually(real: RecordingClient, expected: object, where: object): Promise<object> {
  const end = Date.now() + WITHIN_MS
  for (;;) {
    const found = { ...where, heard: real.heard, counts: await Promise.all(QUEUES.map((key) => real.countOf(key))) }
    if (Date.now() > end || JSON.stringify(found) === JSON.stringify(expected)) return found
    await sleep(10)
  }
}

/** Messages reach the dead queue past the delivery limit, and are given back there. */
const DEAD_LETTERED: readonly Step[] = [
  { do: 'publish', to: 'work', count: 4 },
  { do: 'consume', slot: 0, queue: 'work', prefetch: 10 },
  { do: 'nack', slot: 0, pick: 0, multiple: false },
  ...[0, 1, 2].flatMap((): Step[] => [
    { do: 'close', slot: 0 },
    { do: 'consume', slot: 0, queue: 'work', prefetch: 10 },
  ]),
  { do: 'consume', slot: 1, queue: 'dead', prefetch: 10 },
  { do: 'nack', slot: 1, pick: 5, multiple: true },
  { do: 'close', slot: 1 },
  { do: 'consume', slot: 2, queue: 'dead', prefetch: 10 },
]

/** Messages go to the partition while it is open, and come back when it is shut; its queue is deleted with some of them. */
const PARTITIONED: readonly Step[] = [
  { do: 'publish', to: 'partition', count: 1 },
  { do: 'open' },
  { do: 'consume', slot: 0, queue: 'work', prefetch: 1 },
  { do: 'publish', to: 'partition', count: 3 },
  { do: 'shut' },
  { do: 'publish', to: 'partition', count: 1 },
  { do: 'delete' },
  { do: 'ack', slot: 0, pick: 0, multiple: false },
  { do: 'consume', slot: 1, queue: 'work', prefetch: 1 },
  { do: 'publish', to: 'work', count: 1 },
]

// Proves: faults/rabbitmq-model-acts-as-a-broker
test('random steps have the same effects on the model and on RabbitMQ', async () => {
  await fc.assert(fc.asyncProperty(fc.array<Step>(step, { minLength: 1, maxLength: 25, size: 'max' }), check), {
    numRuns: 25,
    endOnFailure: true,
    examples: [[[...DEAD_LETTERED]], [[...PARTITIONED]]],
  })
})
