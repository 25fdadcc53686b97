import { good, order, payment, ran, rulesBroken, transaction } from '../test/sample-history.ts'
import type { History, Operation, ReceivedRefund } from './history.ts'
import { violationsOf } from './rules.ts'

const refundId = 'RF-1'
const shown = { order, transaction, id: 'T1R01', refundId, amount: '6.00', status: 'succeeded', sequence: 2 }
const atNetwork = { transaction, id: 'T1R01', amount: '6.00', status: 'succeeded' }
const told = (sequence: number, changes: Partial<ReceivedRefund> = {}): ReceivedRefund => ({
  ...{ atMs: 60, id: `T1R01.${sequence}`, refund: 'T1R01', status: 'succeeded', sequence },
  ...{ body: `refund ${sequence}`, isAuthentic: true, answered: 200 },
  ...changes,
})
const refunded: History = {
  ...good,
  operations: [...good.operations, ran({ f: 'refund', order, refundId, amount: '6.00' }, 50, { refund: 'T1R01' })],
  refunds: [shown],
  networkRefunds: [atNetwork],
  refundWebhooks: [told(1), told(2)],
}

// Proves: deploy/history-checker-finds-broken-rules
test('a history with a refund breaks no rule', () => {
  expect(violationsOf(refunded)).toEqual([])
})

const second = { ...shown, id: 'T1R02', refundId: 'RF-2', amount: '5.00' }
const again = (fields: Operation['learnt']) => [
  ...refunded.operations,
  ran({ f: 'refund', order, refundId, amount: '6.00' }, 55, fields),
]
// Proves: deploy/history-checker-finds-broken-rules
test.each<[string, string, Partial<History>]>([
  ['more refunds than was captured', 'R1', { refunds: [shown, second] }],
  ['pending refunds above the capture', 'R1', { refunds: [shown, { ...second, status: 'pending' }] }],
  ['more money back from the network than was captured', 'R1', { networkRefunds: [atNetwork, { ...atNetwork, id: 'T1R02' }] }],
  ['a refund of a payment that was reversed', 'R1', { payments: [{ ...payment, reversal: 'succeeded' }] }],
  ['one key with two refunds', 'R2', { operations: again({ refund: 'T1R02' }) }],
  ['an acknowledged refund that is lost', 'R2', { refunds: [], networkRefunds: [], refundWebhooks: [] }],
  ['a refund of another amount', 'R2', { refunds: [{ ...shown, amount: '5.00' }] }],
  [
    'a refund that was made twice',
    'R3',
    {
      networkRefunds: [
        { ...atNetwork, amount: '3.00' },
        { ...atNetwork, amount: '3.00' },
      ],
    },
  ],
  ['a refund that only the network knows', 'R3', { networkRefunds: [atNetwork, { ...atNetwork, id: 'T1R02', amount: '1.00' }] }],
  ['a refund that the network never made', 'R3', { networkRefunds: [] }],
  ['a refund that failed only here', 'R3', { refunds: [{ ...shown, status: 'failed' }] }],
  ['another amount at the network', 'R3', { networkRefunds: [{ ...atNetwork, amount: '6.01' }] }],
  ['a refund that never ends', 'R4', { refunds: [{ ...shown, status: 'pending', sequence: 1 }] }],
  ['a refund whose end was never acknowledged', 'R4', { refundWebhooks: [told(1), told(2, { answered: null })] }],
  ['two bodies of one webhook of a refund', 'R4', { refundWebhooks: [told(1), told(2), told(2, { body: 'other' })] }],
  ['a webhook of a refund with a wrong signature', 'R4', { refundWebhooks: [told(1), told(2, { isAuthentic: false })] }],
])('%s is found', (_what, rule, changes) => {
  expect(rulesBroken({ ...refunded, ...changes })).toContain(rule)
})
