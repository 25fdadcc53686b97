import { compileReader } from '@gateway/contracts'
import type { IncomingMessage } from './message.ts'
import { handleAs } from './read-message.ts'

const checker = compileReader({
  type: 'object',
  additionalProperties: false,
  required: ['version', 'data'],
  properties: {
    version: { const: 1 },
    data: {
      type: 'object',
      additionalProperties: false,
      required: ['amount'],
      properties: {
        amount: { type: 'integer' },
        tags: { type: 'array', items: { type: 'object', additionalProperties: false } },
      },
    },
  },
})
const handled: unknown[] = []
const handle = handleAs(checker, async ({ data }, { messageId }) => {
  handled.push([messageId, data])
  return 'ack'
})
beforeEach(() => void (handled.length = 0))

const delivery = (body: unknown): IncomingMessage => ({
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  messageId: 'm',
  type: 't',
  correlationId: 'c',
  headers: {},
  redelivered: false,
  routingKey: 'r',
  deliveryCount: 1,
  publishedAtMs: undefined,
})

test('a known message is handled', async () => {
  expect(await handle(delivery({ version: 1, data: { amount: 5 } }))).toBe('ack')
  expect(handled).toEqual([['m', { amount: 5 }]])
})

test('unknown fields are ignored, at every level', async () => {
  expect(await handle(delivery({ version: 1, new: 1, data: { amount: 5, new: 1, tags: [{ new: 1 }] } }))).toBe('ack')
})

test.each([
  ['not JSON', 'a secret', 'not_parseable: the body is not JSON'],
  ['an unknown version', { version: 2, data: { amount: 5 } }, 'not_understood: /version must be equal to constant'],
  ['a missing required field', { version: 1, data: {} }, 'not_understood: /data/amount is required'],
  ['a wrong type', { version: 1, data: { amount: 'a secret' } }, 'not_understood: /data/amount must be integer'],
])('%s is dead-lettered with a reason that shows no value', async (_what, body, dead) => {
  expect(await handle(delivery(body))).toEqual({ dead })
  expect(handled).toEqual([])
})
