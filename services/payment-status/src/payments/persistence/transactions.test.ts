/** The port over a store that a test answers; a real database is behind it in the integration tests. */
import { newTransactionId } from '@gateway/contracts'
import { at, idOfOrder, opened, orderCreatedEvent, report, timing } from '../../../test/data.ts'
import { amend, openTransaction, unchanged } from '../domain/transition.ts'
import { applyReport } from '../domain/reports.ts'
import type { Transaction } from '../domain/transaction.ts'
import { testSocket } from '../../../test/socket.ts'
import type { TransactionStore } from './transaction-store.ts'
import { createTransactions } from './transactions.ts'

const opening = openTransaction(orderCreatedEvent())
const own = opened()
const other = { ...own, id: `${own.id.slice(0, -1)}Z` }

const EMPTY: TransactionStore = {
  find: async () => undefined,
  findByOrder: async () => undefined,
  findMissing: async () => [],
  insert: async () => false,
  flushInserts: () => undefined,
  save: async () => true,
  claimDue: async () => ({ transactions: [], more: false }),
  claimDueRefunds: async () => ({ transactions: [], more: false }),
}
const ignore = (): void => undefined
const now = (): Date => at(0)

describe('an insert that is refused as a duplicate', () => {
  const transactionsWith = (found: { readonly byId?: Transaction; readonly byOrder?: Transaction }) =>
    createTransactions({ ...EMPTY, find: async () => found.byId, findByOrder: async () => found.byOrder }, ignore, now)

  test('resolves to the transaction that is stored already', async () => {
    expect(await transactionsWith({ byId: own, byOrder: own }).open(opening)).toBe(own)
    expect(await transactionsWith({ byOrder: own }).open(opening)).toBe(own)
  })

  test('says so only when another transaction is seen under the order id', async () => {
    expect(await transactionsWith({ byOrder: other }).open(opening)).toBeUndefined()
    await expect(transactionsWith({}).open(opening)).rejects.toThrow('cannot be found')
  })
})

test('a search waits for the order’s event; only a fetched order is inserted without delay', async () => {
  const inserts: boolean[] = []
  const looks: (Transaction | undefined)[] = []
  const store = { ...EMPTY, find: async () => looks.shift(), findByOrder: async () => looks.shift() }
  const transactions = createTransactions(
    { ...store, insert: async (_opening, { immediate }) => inserts.push(immediate) > 0 },
    ignore,
    now,
  )
  // Found by the second look: another replica stored it meanwhile.
  looks.push(undefined, own)
  expect(await transactions.findSoonByOrder('M1', 'ORD-1')).toBe(own)

  const waiting = transactions.findSoon(own.id)
  await new Promise(setImmediate)
  await transactions.open(opening)
  expect(await waiting).toBe(opening.transaction)

  const id = idOfOrder('ORD-2')
  const later = openTransaction(orderCreatedEvent({ transaction_id: id, order_id: 'ORD-2' }))
  expect(await transactions.findSoon(id)).toBeUndefined()
  await transactions.open(later)
  await transactions.openForCaller(later)
  expect(inserts).toEqual([true, false, true])
})

describe('an order that was just made is looked up by its id', () => {
  const id = newTransactionId(at(0), 0)
  const justMade = openTransaction(orderCreatedEvent({ transaction_id: id }))
  function lookUp(afterMs: number) {
    let reads = 0
    const store = { ...EMPTY, insert: async () => true, find: async () => ((reads += 1), undefined) }
    const transactions = createTransactions(store, ignore, () => new Date(at(0).getTime() + afterMs))
    return { transactions, reads: () => reads }
  }

  test.each([
    ['in the same millisecond', 0],
    ['74 ms later', 74],
    ['with a clock that is 70 ms behind', -70],
  ])('%s: without a read, once its event has come', async (_when, afterMs) => {
    const { transactions, reads } = lookUp(afterMs)
    const waiting = transactions.findSoon(id)
    await transactions.open(justMade)
    expect([await waiting, reads()]).toEqual([justMade.transaction, 0])
  })

  test('when its event does not come: with one read after the wait', async () => {
    const { transactions, reads } = lookUp(10)
    expect([await transactions.findSoon(id), reads()]).toEqual([undefined, 1])
  })

  test.each([
    ['100 ms later', 100],
    ['with a clock that is a second behind', -1000],
  ])('%s: with a read first, as any other order', async (_when, afterMs) => {
    const { transactions, reads } = lookUp(afterMs)
    const waiting = transactions.findSoon(id)
    expect(reads()).toBe(1)
    await new Promise(setImmediate)
    await transactions.open(justMade)
    expect(await waiting).toBe(justMade.transaction)
  })

  test('after this replica has stored it: with a read, since another replica may have changed it', async () => {
    const { transactions, reads } = lookUp(10)
    await transactions.open(justMade)
    await transactions.findSoon(id)
    expect(reads()).toBe(1)
  })
})

// Proves: scale/id-carries-its-slot
test("a network's own reference is neither waited for nor looked up", async () => {
  const store = { ...EMPTY, find: () => Promise.reject(new Error('a query was made')) }
  expect(await createTransactions(store, ignore, now).findSoon('ACQUIRERREFERENCE00000000000')).toBeUndefined()
})

describe('an event leaves after the observer was told, and before the write resolves', () => {
  test('of an order that was inserted', async () => {
    const { send, written } = testSocket()
    const store = { ...EMPTY, insert: async () => send('event') }
    await createTransactions(store, () => expect(written).toEqual([]), now).open(opening)
    expect(written).toEqual(['event'])
  })

  test('of a change', async () => {
    const { send, written } = testSocket()
    const store = { ...EMPTY, save: async () => send('event') }
    const changed = amend(unchanged(own), at(1), {})
    expect(await createTransactions(store, () => expect(written).toEqual([]), now).save(own, changed)).toBe(true)
    expect(written).toEqual(['event'])
  })
})

test('the observer is told of every committed change with what was there before, and of nothing else', async () => {
  const told: unknown[] = []
  const transactions = createTransactions({ ...EMPTY, insert: async () => true }, (...change) => told.push(change), now)
  await transactions.open(opening)
  const pending = applyReport(own, report({ outcome: 'pending' }), at(1), timing)
  await transactions.save(own, pending)
  expect(told).toEqual([[opening], [own, pending].reverse()])
  const refused = createTransactions(
    { ...EMPTY, find: async () => own, save: async () => false },
    () => told.push('refused'),
    now,
  )
  await refused.open(opening)
  expect([await refused.save(own, pending), told.length]).toEqual([false, 2])
})

test('a recent copy is changed without a read, while another replica has not written and it would change', async () => {
  let isStale = false
  const store = { ...EMPTY, insert: async () => true, save: async () => !isStale }
  const transactions = createTransactions(store, ignore, now)
  const pend = (copy: Transaction) => applyReport(copy, report({ outcome: 'pending' }), at(1), timing)
  expect(await transactions.changeRecent(own.id, pend)).toBe(false)
  await transactions.open(opening)
  expect(await transactions.changeRecent(own.id, pend)).toBe(true)
  expect(await transactions.changeRecent(own.id, pend)).toBe(false)
  isStale = true
  expect(await transactions.changeRecent(own.id, (copy) => applyReport(copy, report(), at(2), timing))).toBe(false)
})
