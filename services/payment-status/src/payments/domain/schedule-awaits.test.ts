import { openTransaction } from './transition.ts'
import { orderCreatedEvent } from '../../../test/data.ts'
import type { Reversal, Transaction } from './transaction.ts'
import { awaitsNetworkSince } from './schedule.ts'

const open = openTransaction(orderCreatedEvent()).transaction
const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute))
const reversal = (minute: number, status: Reversal['status']): Reversal => ({
  reference: `r${minute}`,
  amount_paise: 100,
  reason: 'late',
  status,
  rrn: null,
  requested_at: at(minute),
  completed_at: null,
  requests: 0,
  due_at: null,
})

test.each<[string, Partial<Transaction>, Date | undefined]>([
  ['an open order waits for the shopper, not for the network', {}, undefined],
  ['an order that ended without a status waits for the network', { closing: { reason: 'expired', at: at(3) } }, at(3)],
  ['an order with a final status does not', { closing: { reason: 'expired', at: at(3) }, status: 'Failed' }, undefined],
  [
    'pending reversals, the oldest first',
    { status: 'Success', reversals: [reversal(9, 'pending'), reversal(5, 'pending')] },
    at(5),
  ],
  ['a reversal that has succeeded', { status: 'Success', reversals: [reversal(5, 'succeeded')] }, undefined],
])('%s', (_name, changes, expected) => {
  expect(awaitsNetworkSince({ ...open, ...changes })).toEqual(expected)
})
