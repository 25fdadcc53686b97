import { opened, orderCreatedEvent } from '../../../test/data.ts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import { makeAdopt } from './adopt.ts'

const created = orderCreatedEvent()
const own = opened()

/** Records what is asked for; `stored` is what a search for the transaction finds. */
function begin(stored: Transaction | undefined) {
  const asked: string[] = []
  const opens =
    (how: string) =>
    async ({ transaction }: Decision): Promise<Transaction> =>
      asked.push(how) > 0 ? transaction : own
  const adopt = makeAdopt({
    transactions: {
      open: opens('open'),
      openForCaller: opens('open for caller'),
      findSoon: async (id) => (asked.push(`find ${id}`) > 0 ? stored : undefined),
      findSoonByOrder: async (...order) => (asked.push(`find ${order.join(':')}`) > 0 ? stored : undefined),
    },
    orders: {
      byTransaction: async () => (asked.push('fetch') > 0 ? created : undefined),
      byOrderId: async () => (asked.push('fetch') > 0 ? created : undefined),
    },
  })
  return { adopt, asked }
}

test('the event of an order opens its transaction', async () => {
  const { adopt, asked } = begin(undefined)
  expect(await adopt.order(created)).toEqual(own)
  expect(asked).toEqual(['open'])
})

test('an order is fetched from order-api only when its transaction is not found', async () => {
  const known = begin(own)
  expect(await known.adopt.byId(own.id)).toBe(own)
  expect(await known.adopt.byOrder('M1', 'ORD-1')).toBe(own)
  expect(known.asked).toEqual([`find ${own.id}`, 'find M1:ORD-1'])

  const unknown = begin(undefined)
  expect(await unknown.adopt.byId(own.id)).toEqual(own)
  expect(await unknown.adopt.byOrder('M1', 'ORD-1')).toEqual(own)
  expect(unknown.asked).toEqual([`find ${own.id}`, 'fetch', 'open for caller', 'find M1:ORD-1', 'fetch', 'open for caller'])
})
