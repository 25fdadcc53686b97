import fc from 'fast-check'
import { create, good, order, pay, payment, ran, rulesBroken, search, transaction, webhook } from '../test/sample-history.ts'
import { toJsonLines, type History } from './history.ts'
import { violationsOf } from './rules.ts'

const [first, paid] = good.changes
if (!first || !paid) throw new Error('there are two changes')

// Proves: deploy/history-checker-finds-broken-rules
test('a history without a fault breaks no rule', () => {
  expect(violationsOf(good)).toEqual([])
})

// Proves: deploy/history-checker-finds-broken-rules
test.each<[string, string, Partial<History>]>([
  ['a second transaction of one key', 'S1', { operations: [...good.operations, ran(create.action, 50, { transaction: 'T2' })] }],
  ['an acknowledged order that is lost', 'S1', { changes: [], webhooks: [], payments: [] }],
  [
    'an acknowledged order that a search does not find',
    'S1',
    { operations: [...good.operations, { ...ran({ f: 'search', order }, 60, { code: 'order_not_found' }), type: 'fail' }] },
  ],
  [
    'a transaction of two orders',
    'S1',
    { operations: [...good.operations, ran({ f: 'create', order: 'mer_1/ORD-2', amount: '1.00' }, 50, { transaction })] },
  ],
  [
    'a gap in the sequence',
    'S2',
    { changes: [first, { ...paid, sequence: 3 }], webhooks: [webhook(1), webhook(3, { status: 'Success' })] },
  ],
  [
    'a final status that changes',
    'S2',
    {
      changes: [first, paid, { transaction, sequence: 3, status: 'Failed' }],
      webhooks: [...good.webhooks, webhook(3, { status: 'Failed' })],
    },
  ],
  [
    'a move that the table does not have',
    'S2',
    {
      changes: [first, { transaction, sequence: 2 }, { ...paid, sequence: 3 }],
      webhooks: [webhook(1), webhook(2, { status: 'Failed' }), webhook(3)],
    },
  ],
  ['a webhook of a change that is not stored', 'S4', { webhooks: [...good.webhooks, webhook(3)] }],
  ['a change with two statuses', 'S2', { webhooks: [webhook(1), webhook(2, { status: 'Failed' })] }],
  ['two bodies of one webhook', 'S4', { webhooks: [...good.webhooks, webhook(2, { body: 'other' })] }],
  ['a wrong signature', 'S4', { webhooks: [webhook(1, { isAuthentic: false }), webhook(2)] }],
  ['a webhook at another URL', 'S4', { webhooks: [webhook(1), webhook(2, { isAtItsUrl: false })] }],
  ['a second capture that is kept', 'S6', { payments: [payment, { ...payment, reference: 'R2' }] }],
  ['a paid order whose money went back', 'S6', { payments: [{ ...payment, reversal: 'succeeded' }] }],
  ['a capture of another amount', 'S6', { payments: [{ ...payment, amount: '9.00' }] }],
  [
    'a paid order that is Failed',
    'S9',
    {
      changes: [first, { ...paid, status: 'Failed' }],
      webhooks: [webhook(1), webhook(2, { status: 'Failed' })],
      operations: [create, pay],
      payments: [{ ...payment, reversal: 'succeeded' }],
    },
  ],
  ['a search that is older than a search before it', 'S11', { operations: [...good.operations, search(60, 1)] }],
  ['a search that is older than a webhook', 'S11', { operations: [create, pay, search(40, 1)] }],
  ['an order that never ends', 'L1', { changes: [first], webhooks: [webhook(1)], operations: [create], payments: [] }],
  ['a webhook that was never acknowledged', 'L1', { webhooks: [webhook(1), webhook(2, { answered: 500 })] }],
  ['a reversal that never ends', 'L1', { payments: [payment, { ...payment, reference: 'R2', reversal: 'pending' }] }],
  ['a gap that the audit names', 'L1', { gaps: ['missing T1.2'] }],
])('%s is found', (_what, rule, changes) => {
  expect(rulesBroken({ ...good, ...changes })).toContain(rule)
})

test('a search at the same time as a change may see either state', () => {
  const overlapping = { ...search(25, 1), endedMs: 45 }
  expect(violationsOf({ ...good, operations: [create, pay, overlapping] })).toEqual([])
})

// Proves: deploy/history-checker-finds-broken-rules
test('searches in any order of time keep the rule only when their sequences never fall', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(1, 2), { maxLength: 8 }), (sequences) => {
      const operations = [create, pay, ...sequences.map((sequence, at) => search(100 + 10 * at, sequence))]
      // The second webhook came before all of them.
      expect(rulesBroken({ ...good, operations }).includes('S11')).toBe(sequences.includes(1))
    }),
  )
})

test('the history is written as lines in the order of time, with the final state last', () => {
  const lines = toJsonLines(good)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { t: number | null; f: string })
  expect(lines.at(-1)).toMatchObject({ t: null, f: 'final' })
  const times = lines.slice(0, -1).map(({ t }) => t)
  expect(times).toEqual(times.toSorted((one, other) => Number(one) - Number(other)))
  expect(lines).toHaveLength(2 * good.operations.length + good.webhooks.length + 1)
})
