import type { ConsumeMessage } from 'amqplib'
import fc from 'fast-check'
import { eventually } from '@gateway/testkit'
import { createAcks } from './acks.ts'

/** A channel as the broker sees it: which deliveries are not settled. */
function brokerChannel(count: number) {
  const unacked = new Set(Array.from({ length: count }, (_, index) => index + 1))
  const [acked, back]: [number[], number[]] = [[], []]
  let frames = 0
  const settle = (tag: number, into: number[]): void => {
    // The broker closes a channel that settles what it does not have.
    if (!unacked.delete(tag)) throw new Error(`unknown delivery tag ${tag}`)
    into.push(tag)
  }
  return {
    acked,
    back,
    unacked,
    get frames() {
      return frames
    },
    ack({ fields: { deliveryTag } }: ConsumeMessage, upTo = false): void {
      frames += 1
      for (const tag of upTo ? [...unacked].filter((other) => other < deliveryTag) : []) settle(tag, acked)
      settle(deliveryTag, acked)
    },
    nack: ({ fields }: ConsumeMessage): void => {
      settle(fields.deliveryTag, back)
    },
  }
}

const deliveryOf = (deliveryTag: number) => ({ fields: { deliveryTag } }) as ConsumeMessage

test('exactly the handled deliveries are acknowledged, in whatever order they end and acknowledgements are sent', () => {
  const ends = fc.array(fc.record({ give: fc.boolean(), flush: fc.boolean(), order: fc.nat() }), { maxLength: 30 })
  fc.assert(
    fc.property(ends, (plan) => {
      const channel = brokerChannel(plan.length + 1)
      const acks = createAcks(channel, 1000)
      // The last delivery never ends, so that not everything can be acknowledged in one frame.
      for (let tag = 1; tag <= plan.length + 1; tag++) acks.deliver(deliveryOf(tag))
      const inTurn = plan.map((end, index) => ({ ...end, tag: index + 1 })).sort((one, other) => one.order - other.order)
      for (const { tag, give, flush } of inTurn) {
        if (give) acks.giveBack(deliveryOf(tag))
        else acks.ack(deliveryOf(tag))
        if (flush) acks.flush()
      }
      acks.flush()
      const tagsOf = (given: boolean) => inTurn.filter(({ give }) => give === given).map(({ tag }) => tag)
      expect(channel.acked.toSorted()).toEqual(tagsOf(false).toSorted())
      expect(channel.back.toSorted()).toEqual(tagsOf(true).toSorted())
      expect([...channel.unacked]).toEqual([plan.length + 1])
    }),
  )
})

test('deliveries that end together are acknowledged by one frame', async () => {
  const channel = brokerChannel(100)
  const acks = createAcks(channel, 1000)
  for (let tag = 1; tag <= 100; tag++) acks.deliver(deliveryOf(tag))
  for (let tag = 100; tag >= 1; tag--) acks.ack(deliveryOf(tag))
  await eventually(() => expect(channel.acked).toHaveLength(100))
  expect(channel.frames).toBe(1)
})

test.each([
  [1, [1]],
  [4, [1, 2]],
])('of a prefetch of %i, half waits for nothing', (prefetch, tags) => {
  const channel = brokerChannel(prefetch)
  const acks = createAcks(channel, prefetch)
  for (const tag of tags) acks.deliver(deliveryOf(tag))
  for (const tag of tags) acks.ack(deliveryOf(tag))
  expect([channel.acked, channel.frames]).toEqual([tags, 1])
})

test('behind a slower one, too, half of the prefetch waits for nothing', () => {
  const channel = brokerChannel(4)
  const acks = createAcks(channel, 4)
  for (const tag of [1, 2, 3]) acks.deliver(deliveryOf(tag))
  for (const tag of [2, 3]) acks.ack(deliveryOf(tag))
  expect(channel.acked).toEqual([2, 3])
})

// Proves: webhooks/hanging-endpoint-slows-no-others
test('deliveries behind a slower one wait a few milliseconds for it, then are acknowledged one by one', async () => {
  const channel = brokerChannel(6)
  const acks = createAcks(channel, 1000)
  for (let tag = 1; tag <= 6; tag++) acks.deliver(deliveryOf(tag))
  for (const tag of [3, 2]) acks.ack(deliveryOf(tag))
  expect(channel.frames).toBe(0)
  acks.ack(deliveryOf(1))
  await eventually(() => expect([channel.acked, channel.frames]).toEqual([[1, 2, 3], 1]))
  for (const tag of [5, 6]) acks.ack(deliveryOf(tag))
  await eventually(() => expect([channel.acked, channel.frames]).toEqual([[1, 2, 3, 5, 6], 3]))
})

test('handled deliveries behind a slow one are not kept', () => {
  const acks = createAcks(brokerChannel(1000), 1000)
  for (let tag = 1; tag <= 1000; tag++) {
    acks.deliver(deliveryOf(tag))
    if (tag === 1) continue
    if (tag % 2 === 0) acks.ack(deliveryOf(tag))
    else acks.giveBack(deliveryOf(tag))
    acks.flush()
  }
  expect(acks.open).toBe(1)
})

test('a delivery that was acknowledged is not given back', () => {
  const channel = brokerChannel(2)
  const acks = createAcks(channel, 1000)
  for (const tag of [1, 2]) acks.deliver(deliveryOf(tag))
  acks.ack(deliveryOf(1))
  acks.giveBack(deliveryOf(1))
  acks.flush()
  acks.giveBack(deliveryOf(1))
  expect([channel.acked, acks.open]).toEqual([[1], 1])
})

test('nothing is sent on a channel that has ended', () => {
  const gone = () => {
    throw new Error('Channel closed')
  }
  const acks = createAcks({ ack: gone, nack: gone }, 1000)
  acks.deliver(deliveryOf(1))
  acks.deliver(deliveryOf(2))
  acks.ack(deliveryOf(1))
  expect(() => {
    acks.giveBack(deliveryOf(2))
    acks.flush()
  }).not.toThrow()
})
