/** What is said of an order that the database refuses to insert; that it refuses is shown on a real one. */
import { opened, orderCreatedEvent } from '../domain/test-data.ts'
import type { Transaction } from '../domain/transaction.ts'
import { makeAdopt } from './adopt.ts'
import { testSocket } from './test-socket.ts'

const created = orderCreatedEvent()
const own = opened()
const nobody = { id: null, name: null, email: null, phone: null }
const other = { ...own, id: `${own.id.slice(0, -1)}Z` }

function adoptWith(found: { readonly byId?: Transaction; readonly byOrder?: Transaction }) {
  return makeAdopt({
    transactions: {
      insert: async () => false,
      arrival: async () => undefined,
      find: async () => found.byId,
      findByOrder: async () => found.byOrder,
    },
    orders: {
      byTransaction: async () => undefined,
      byOrderId: async () => undefined,
      customerOf: async () => nobody,
    },
    logChanges: () => undefined,
  })
}

test('one that is there already is what is there', async () => {
  expect(await adoptWith({ byId: own, byOrder: own }).order(created)).toBe(own)
  expect(await adoptWith({ byOrder: own }).order(created)).toBe(own)
})

test('only another transaction that is seen under its order id makes it one that nobody will ever adopt', async () => {
  expect(await adoptWith({ byOrder: other }).order(created)).toBeUndefined()
  await expect(adoptWith({}).order(created)).rejects.toThrow('cannot be found')
})

test('an order whose event is on its way is waited for, and fetched only when it does not come', async () => {
  const asked: string[] = []
  const adopt = (arrives: boolean, looks: (Transaction | undefined)[]) =>
    makeAdopt({
      transactions: {
        insert: async (_decision, { urgent }) => asked.push(urgent ? 'urgent insert' : 'insert') > 0,
        find: async () => looks.shift(),
        findByOrder: async () => looks.shift(),
        arrival: async (key) => (asked.push(`arrival of ${key}`) > 0 && arrives ? own : undefined),
      },
      orders: {
        byTransaction: async () => (asked.push('fetch') > 0 ? created : undefined),
        byOrderId: async () => (asked.push('fetch') > 0 ? created : undefined),
        customerOf: async () => nobody,
      },
      logChanges: () => undefined,
    })
  expect(await adopt(true, []).byId(own.id)).toBe(own)
  expect(await adopt(false, [undefined, own]).byOrder('M1', 'ORD-1')).toBe(own)
  expect(asked.splice(0)).toEqual([`arrival of ${own.id}`, 'arrival of M1:ORD-1'])
  expect(await adopt(false, []).byId(own.id)).toEqual(own)
  expect(asked).toEqual([`arrival of ${own.id}`, 'fetch', 'urgent insert'])
})

test('the event of an order that was inserted leaves before anything else is done for it', async () => {
  const { send, written } = testSocket()
  const adopt = makeAdopt({
    transactions: {
      insert: async () => send('event'),
      find: async () => undefined,
      findByOrder: async () => undefined,
      arrival: async () => undefined,
    },
    orders: { byTransaction: async () => undefined, byOrderId: async () => undefined, customerOf: async () => nobody },
    logChanges: () => expect(written).toEqual([]),
  })
  await adopt.order(created)
  expect(written).toEqual(['event'])
})
