import { orderKey } from '@gateway/contracts'
import { opened, orderCreatedEvent, report, timing, at } from '../domain/test-data.ts'
import { openTransaction } from '../domain/opening.ts'
import { applyReport } from '../domain/reports.ts'
import { rememberRecent } from './recent-transactions.ts'
import type { Transactions } from './transactions.ts'

const decision = openTransaction(orderCreatedEvent())
const transaction = opened()
const key = orderKey('M1', 'ORD-1')

/** A store whose inserts are answered when the test says so. */
function begin({ inserts = true } = {}) {
  const answer = Promise.withResolvers<undefined>()
  const seen = { urgent: [] as boolean[], hurried: 0 }
  const store: Transactions = {
    find: async () => undefined,
    findByOrder: async () => undefined,
    insert: async (_decision, { urgent }) => {
      seen.urgent.push(urgent)
      await answer.promise
      return inserts
    },
    hurry: () => void (seen.hurried += 1),
    save: async () => true,
    claimDue: async () => [],
  }
  return { recent: rememberRecent(store), seen, answer: () => answer.resolve(undefined) }
}

test.each([
  ['id', transaction.id],
  ['order', key],
])('who waits for one by its %s has it as soon as it is stored, and it is stored without delay', async (_by, wanted) => {
  const { recent, seen, answer } = begin()
  const waiting = [recent.arrival(wanted), recent.arrival(wanted)]
  const inserting = recent.insert(decision, { urgent: false })
  answer()
  expect(await Promise.all(waiting)).toEqual([decision.transaction, decision.transaction])
  expect([await inserting, seen.urgent]).toEqual([true, [true]])
})

test('what waits for company is stored at once when somebody asks for it', async () => {
  const { recent, seen, answer } = begin()
  const inserting = recent.insert(decision, { urgent: false })
  const waiting = recent.arrival(transaction.id)
  expect([seen.urgent, seen.hurried]).toEqual([[false], 1])
  answer()
  expect(await waiting).toBe(decision.transaction)
  expect(await inserting).toBe(true)
})

test('one that another replica has stored, or that does not come, is not waited for any longer', async () => {
  const { recent, answer } = begin({ inserts: false })
  const waiting = recent.arrival(transaction.id)
  const inserting = recent.insert(decision, { urgent: false })
  answer()
  expect([await waiting, await inserting]).toEqual([undefined, false])
  expect(await recent.arrival('T-unknown')).toBeUndefined()
})

test('one that came while somebody looked in vain is to be looked for again, without a wait', async () => {
  const { recent, answer } = begin()
  answer()
  await recent.insert(decision, { urgent: false })
  const turns = Promise.race([recent.arrival(key), new Promise((resolve) => setImmediate(resolve, 'waited'))])
  expect(await turns).toBeUndefined()
})

test('what is recalled is what was written last, until it is final', async () => {
  const { recent, answer } = begin()
  answer()
  await recent.insert(decision, { urgent: false })
  expect(recent.recall(transaction.id)).toBe(decision.transaction)
  const pending = applyReport(decision.transaction, report({ outcome: 'pending' }), at(1), timing)
  await recent.save(decision.transaction, pending)
  expect(recent.recall(transaction.id)).toBe(pending.transaction)
  await recent.save(pending.transaction, applyReport(pending.transaction, report(), at(2), timing))
  expect(recent.recall(transaction.id)).toBeUndefined()
})
