import type { Order } from '@gateway/sdk'
import { describeOrder } from './describe-order.ts'

const at = '2026-01-31T00:00:00.000Z'
const transaction: Order['transaction'] = {
  ...{ id: 'T1', status: 'Failed', amount: '1299.00', currency: 'INR', method: null, rrn: null, payer: null },
  ...{ failure_reason: 'expired', failure_code: null, amount_refunded: '0.00', amount_refundable: '0.00', sequence: 2 },
  ...{ created_at: at, updated_at: at, expires_at: at, refunds: [] },
  attempts: [
    {
      ...{ id: 'A1', method: 'credit_card', status: 'failed', failure_reason: 'declined', failure_code: 'insufficient_funds' },
      ...{ reference: 'R1', rrn: '411111222222', started_at: at, ended_at: at },
    },
    {
      ...{ id: 'R2', method: 'upi', status: 'reversed', failure_reason: null, failure_code: null },
      ...{ reference: 'R2', rrn: '422222333333', started_at: at, ended_at: at },
    },
  ],
  reversals: [
    {
      ...{ reference: 'R2', amount: '1299.00', reason: 'late', status: 'succeeded', rrn: '998877665544' },
      ...{ requested_at: at, completed_at: at },
    },
  ],
}
const order = { order: { order_id: 'ORD-1' }, transaction, checkout: null }

// Proves: cli/orders-get-shows-money-that-went-back
test('a failed order whose late money was given back says so, with every number of the bank', () => {
  const lines = describeOrder(order).split('\n')
  expect(lines).toContain(`attempt      credit_card, failed, declined, insufficient_funds, rrn 411111222222, ${at}`)
  expect(lines).toContain(`attempt      upi, reversed, rrn 422222333333, ${at}`)
  expect(lines).toContain(`given back   1299.00 INR, late, succeeded, rrn 998877665544, reference R2, ${at}`)
  expect(lines).toContain('reason       expired')
})

test('an order that nobody has tried to pay has no such lines', () => {
  const text = describeOrder({ ...order, transaction: { ...transaction, attempts: [], reversals: [] } })
  expect(text).not.toMatch(/attempt|given back|refund|rrn/u)
})
