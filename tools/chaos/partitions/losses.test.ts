import type { Action, Learnt, Operation } from '@gateway/simulation/check/history'
import { lostOrders } from './losses.ts'
import { partitionOf } from './on-broker.ts'

const order = 'M-1/R-1'
const created = operation({ f: 'create', order, amount: '10.00' }, { transaction: 'T-1' })
const paid = operation({ f: 'pay', order, vpa: 'success@sandbox' })
const found = (learnt: Learnt) => operation({ f: 'search', order }, learnt)

test.each([
  ['a paid order that is shown as paid', [created, paid, found({ transaction: 'T-1', status: 'Success' })], []],
  ['an order that nobody paid', [created, found({ transaction: 'T-1', status: 'Failed' })], []],
  ['a payment that was not accepted', [created, { ...paid, type: 'info' }, found({ transaction: 'T-1', status: 'Failed' })], []],
  ['an order that was never acknowledged', [{ ...created, type: 'info', learnt: {} }], []],
  ['a paid order that is not shown as paid', [created, paid, found({ transaction: 'T-1', status: 'Failed' })], [order]],
  ['another transaction', [created, found({ transaction: 'T-2', status: 'Failed' })], [order]],
  ['an order that the last search does not find', [created, { ...found({ code: 'order_not_found' }), type: 'fail' }], [order]],
  ['an order that was never searched for', [created], [order]],
] as const satisfies readonly (readonly [string, readonly Operation[], readonly string[]])[])('%s', (_, operations, lost) => {
  expect(lostOrders({ operations })).toEqual(lost)
})

test.each([
  ['*.*.3', 3],
  ['t.~ledger.events.1', 1],
  ['webhook-dispatcher.status-changed.63', 63],
  ['payment-status.order-created', 0],
  ['webhook-dispatcher.retry.1000ms', 0],
])('%s is of partition %d', (name, partition) => expect(partitionOf({ name })).toBe(partition))

function operation(action: Action, learnt: Learnt = {}): Operation {
  return { process: 'p', action, invokedMs: 0, endedMs: 0, type: 'ok', learnt }
}
