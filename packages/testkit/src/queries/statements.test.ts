import { slotDigits, slotOfOrder } from '@gateway/contracts'
import { shardKeyOf, statementsOf } from './statements.ts'

const ULID = '01KAVWQZ5E8J3N7R2T4V6X9YBC'
const idAt = (slot: number): string => ULID + slotDigits(slot)
const statement = (service: string, command: Record<string, unknown>) => {
  const [first] = statementsOf(service, command)
  if (!first) throw new Error('the command has no statement')
  return first
}
const transactions = (filter: object, rest: object = {}) => statement('payment-status', { find: 'transactions', filter, ...rest })

test('a filter is named by its fields; a bound without a value is a range', () => {
  const filter = { $and: [{ merchant_id: 'M1' }, { $or: [{ created_at: { $lt: new Date(0) } }, { _id: { $in: ['a'] } }] }] }
  expect(statement('webhook-dispatcher', { find: 'deliveries', filter })).toMatchObject({
    collection: 'webhook-dispatcher.deliveries',
    command: 'find',
    names: ['_id', 'created_at range', 'merchant_id'],
  })
})

test.each([
  ['find', { find: 'transactions', filter: { status: 'Failed' } }, 'find'],
  [
    'a count by the driver',
    { aggregate: 'transactions', pipeline: [{ $match: { status: 'Failed' } }, { $group: { _id: 1 } }] },
    'count',
  ],
  ['aggregate', { aggregate: 'transactions', pipeline: [{ $match: { status: 'Failed' } }] }, 'aggregate'],
  ['findAndModify', { findAndModify: 'transactions', query: { status: 'Failed' } }, 'update'],
  ['findAndModify that removes', { findAndModify: 'transactions', query: { status: 'Failed' }, remove: true }, 'delete'],
  ['update', { update: 'transactions', updates: [{ q: { status: 'Failed' }, multi: true }] }, 'update'],
  ['delete', { delete: 'transactions', deletes: [{ q: { status: 'Failed' }, limit: 0 }] }, 'delete'],
])('%s has one statement', (_what, command, kind) => {
  const found = statementsOf('payment-status', command)
  expect(found.map(({ command: one, names }) => [one, names])).toEqual([[kind, ['status']]])
})

test('each update of a bulk write is a statement', () => {
  const updates = [{ q: { _id: idAt(1), slot: 1 } }, { q: { _id: idAt(2) } }]
  const found = statementsOf('payment-status', { update: 'transactions', updates })
  expect(found.map(({ names, unfit }) => [names, unfit.hot])).toEqual([
    [['_id', 'slot'], undefined],
    [['_id'], 'it does not name slot'],
  ])
})

test.each([['listIndexes'], ['getMore'], ['ping']])('%s asks for no documents', (name) => {
  expect(statementsOf('payment-status', { [name]: 'transactions' })).toEqual([])
})

test('a hot query names the slot of each document', () => {
  const ids = [idAt(7), idAt(900), idAt(900)]
  expect(transactions({ _id: idAt(7), slot: 7 }).unfit.hot).toBeUndefined()
  expect(transactions({ _id: { $in: ids }, slot: { $in: [7, 900] } }).unfit.hot).toBeUndefined()
  expect(transactions({ _id: { $in: ids }, slot: { $in: [7] } }).unfit.hot).toBe(
    'it does not name the slots of all documents by _id',
  )
  expect(transactions({ _id: { $in: ids }, slot: { $in: [7, 8, 900] } }).unfit.hot).toBe('it names slots of no document by _id')
  expect(transactions({ _id: idAt(7) }).unfit.hot).toBe('it does not name slot')
  expect(transactions({ _id: idAt(7), slot: { $gte: 0 } }).unfit.hot).toBe('it does not name slot')
})

test('the slot of an order follows from its key', () => {
  const [slot, key] = [slotOfOrder('M1', 'ORD-1'), 'M1:ORD-1']
  expect(transactions({ order_key: key, slot }).unfit.hot).toBeUndefined()
  expect(transactions({ order_key: key, slot: slot + 1 }).unfit.hot).toBe(
    'it does not name the slots of all documents by order_key',
  )
  const order = (filter: object) => statement('order-api', { find: 'orders', filter }).unfit.hot
  expect(order({ _id: key, slot })).toBeUndefined()
  expect(order({ _id: key, slot: slot + 1 })).toBe('it does not name the slots of all documents by _id')
  // The shard key is the slot and the order's key.
  expect(order({ slot })).toBeUndefined()
})

test('one alternative without its slot makes the whole query go everywhere', () => {
  const filter = { $or: [{ _id: idAt(7), slot: 7 }, { _id: idAt(8) }] }
  expect(transactions(filter).unfit.hot).toBe('it does not name slot')
})

test('an insert is hot when the document has its own slot', () => {
  const insert = (document: object) => statement('webhook-dispatcher', { insert: 'deliveries', documents: [document] }).unfit.hot
  expect(insert({ _id: `${idAt(7)}.1`, merchant_id: 'M1', slot: 7 })).toBeUndefined()
  expect(insert({ _id: `${idAt(7)}.1`, merchant_id: 'M1', slot: 8 })).toBe('it does not name the slots of all documents by _id')
  expect(insert({ _id: `${idAt(7)}.1`, slot: 7 })).toBe('it does not name merchant_id')
})

test('without a slot in the shard key, a hot query names the key itself', () => {
  const entries = (filter: object) => statement('ledger', { find: 'entries', filter }).unfit.hot
  expect(entries({ _id: { $in: ['capture:1:T1'] } })).toBeUndefined()
  expect(entries({ line_key: { $in: ['capture:1'] } })).toBe('it does not name _id')
})

test('a query of a merchant names one, or a range of ids that begin with it', () => {
  const orders = (filter: object) => statement('order-api', { find: 'orders', filter }).unfit['of a merchant']
  expect(orders({ merchant_id: 'M1' })).toBeUndefined()
  expect(orders({ _id: { $gt: 'M1:', $lt: 'M1;' } })).toBeUndefined()
  for (const filter of [{}, { merchant_id: { $in: ['M1', 'M2'] } }, { _id: { $gt: 'M1:' } }, { _id: { $gt: 'M1:', $lt: 'M2:' } }])
    expect(orders(filter)).toBe('it does not name the merchant')
})

test('a background query has a limit, a range with two ends, or the ids of its documents', () => {
  const limited = (filter: object, rest: object = {}) => transactions(filter, rest).unfit.background
  expect(limited({ due_at: { $lte: new Date() } }, { limit: 50 })).toBeUndefined()
  expect(limited({ _id: { $gte: 'a', $lt: 'b' } })).toBeUndefined()
  expect(limited({ _id: { $in: ['a', 'b'] } })).toBeUndefined()
  for (const limit of [undefined, 0])
    expect(limited({ due_at: { $lte: new Date() } }, { limit })).toBe('it has neither a limit nor a range with two ends')
  expect(limited({ $or: [{ _id: 'a' }, { status: 'Failed' }] })).toBe('it has neither a limit nor a range with two ends')
})

test('a collection without a shard key lies on one shard: its queries fit every class', () => {
  expect(shardKeyOf('auth-token', 'merchants')).toBeUndefined()
  expect(statement('auth-token', { find: 'merchants', filter: {} }).unfit).toEqual({})
})
