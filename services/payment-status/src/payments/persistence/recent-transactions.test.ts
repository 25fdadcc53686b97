import { orderKey } from '@gateway/contracts'
import { at, opened, orderCreatedEvent, report, timing } from '../../../test/data.ts'
import { openTransaction } from '../domain/transition.ts'
import { applyReport } from '../domain/reports.ts'
import { createRecentTransactions } from './recent-transactions.ts'

const { transaction } = openTransaction(orderCreatedEvent())
const key = orderKey('M1', 'ORD-1')

/** An insert that ends when the test says so. */
function begin({ inserts = true } = {}) {
  const answer = Promise.withResolvers<undefined>()
  const seen = { awaited: [] as boolean[], flushes: 0 }
  const recent = createRecentTransactions(() => void (seen.flushes += 1))
  const insert = (): Promise<boolean> =>
    recent.during(transaction, async (isAwaited) => {
      seen.awaited.push(isAwaited)
      await answer.promise
      return inserts
    })
  return { recent, insert, seen, answer: () => answer.resolve(undefined) }
}

test.each([
  ['id', transaction.id],
  ['order', key],
])('a caller that waits for a transaction by its %s gets it once stored, and it is stored without delay', async (_by, wanted) => {
  const { recent, insert, seen, answer } = begin()
  const waiting = [recent.waitFor(wanted), recent.waitFor(wanted)]
  const inserting = insert()
  answer()
  expect(await Promise.all(waiting)).toEqual([transaction, transaction])
  expect([await inserting, seen.awaited]).toEqual([true, [true]])
})

test('an insert that waits for others starts when a caller waits for its transaction', async () => {
  const { recent, insert, seen, answer } = begin()
  const inserting = insert()
  const waiting = recent.waitFor(transaction.id)
  expect([seen.awaited, seen.flushes]).toEqual([[false], 1])
  answer()
  expect(await waiting).toBe(transaction)
  expect(await inserting).toBe(true)
})

test('the wait ends when another replica stored the transaction, or when it does not come', async () => {
  const { recent, insert, answer } = begin({ inserts: false })
  const waiting = recent.waitFor(transaction.id)
  const inserting = insert()
  answer()
  expect([await waiting, await inserting]).toEqual([undefined, false])
  expect(await recent.waitFor('T-unknown')).toBeUndefined()
})

test('a transaction that was stored after the caller looked is to be read again, without a wait', async () => {
  const { recent, insert, answer } = begin()
  answer()
  await insert()
  const first = Promise.race([recent.waitFor(key), new Promise((resolve) => setImmediate(resolve, 'waited'))])
  expect(await first).toBeUndefined()
})

test('the copy is the one that was written last, until it is final', async () => {
  const { recent, insert, answer } = begin()
  answer()
  await insert()
  expect(recent.get(transaction.id)).toBe(transaction)
  const pending = applyReport(opened(), report({ outcome: 'pending' }), at(1), timing).transaction
  recent.forget(transaction)
  expect(recent.get(transaction.id)).toBeUndefined()
  recent.remember(pending)
  expect(recent.get(transaction.id)).toBe(pending)
  recent.forget(pending)
  recent.remember(applyReport(pending, report(), at(2), timing).transaction)
  expect(recent.get(transaction.id)).toBeUndefined()
})
