import type { IncomingMessage } from '@gateway/messaging'
import { orderCreatedEvent } from '../../../test/data.ts'
import { openTransaction } from '../domain/transition.ts'
import { handleOrderCreated } from './order-created.ts'

const adopted: string[] = []
const handle = handleOrderCreated(
  {
    order: async (created) => {
      adopted.push(created.id)
      if (created.data.order_id === 'TAKEN') return undefined
      return openTransaction(created).transaction
    },
    byId: async () => undefined,
    byOrder: async () => undefined,
  },
  'order-created',
)
const message = (body: unknown): IncomingMessage => ({
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  messageId: 'm',
  type: 'order.created',
  correlationId: 'c',
  headers: {},
  redelivered: false,
  routingKey: 'order.created',
  deliveryCount: 1,
  publishedAtMs: undefined,
})
const good = orderCreatedEvent()

beforeEach(() => void (adopted.length = 0))

test('a good event is adopted', async () => {
  expect(await handle(message(good))).toBe('ack')
  expect(adopted).toEqual([good.id])
})

test('unknown fields of a newer publisher are ignored, at every level', async () => {
  const { data } = good
  const newer = { ...good, extra: 1, data: { ...data, extra: 1, merchant: { ...data.merchant, extra: 1 } } }
  expect(await handle(message(newer))).toBe('ack')
  expect(adopted).toEqual([good.id])
})

test('an event whose order id belongs to another transaction is dead-lettered at once', async () => {
  const taken = orderCreatedEvent({ order_id: 'TAKEN' })
  expect(await handle(message(taken))).toEqual({ dead: 'another transaction has its order id' })
})

// Proves: broker/poison-is-dead-lettered-at-once
test.each([
  ['not JSON', 'nonsense', /^not_parseable: the body is not JSON$/u],
  ['an unknown version', { ...good, version: 2 }, /version/u],
  ['a wrong type', { ...good, data: { ...good.data, order_id: ['secret'] } }, /order_id/u],
  ['no amount', { ...good, data: { ...good.data, amount_paise: undefined } }, /amount_paise/u],
])('%s is dead-lettered, with a reason that names fields and shows no value', async (_name, body, reason) => {
  const outcome = await handle(message(body))
  expect(outcome).toEqual({ dead: expect.stringMatching(reason) })
  expect(JSON.stringify(outcome)).not.toMatch(/secret|nonsense/u)
})
