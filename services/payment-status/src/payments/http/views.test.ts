import { orderTextsOf } from '@gateway/contracts'
import { cancel } from '../domain/transition.ts'
import { applyReport } from '../domain/reports.ts'
import { applyReversalAnswer } from '../domain/reversals.ts'
import { at, opened, report, timing } from '../../../test/data.ts'
import type { Transaction } from '../domain/transaction.ts'
import { toSearchResponse } from './views.ts'

const links = { url: 'https://pay.example/checkout/x', intent: 'upi://pay?x' }
const customer = { id: 'C1', name: 'Asha', email: 'a@b.in', phone: '9876543210' }
/** Every optional text of an order, each with its name as the value. */
const texts = Object.fromEntries(Object.keys(orderTextsOf({})).map((name) => [name, name]))
const order = opened(texts)
const view = (transaction: Transaction, seconds: number) => toSearchResponse(transaction, customer, () => links, at(seconds))

// Proves: spec/2-1-udf1-udf2-udf3-passed, api/search-answer
test('the order as it was sent, each value in its own field', () => {
  expect(view(order, 1).data.order).toEqual({ order_id: 'ORD-1', customer, ...texts })
})

// Proves: api/answers-have-every-key, api/search-answer, api/search-shows-every-bank-number
test('attempts and reversals have every key, null until known', () => {
  const declined = applyReport(
    opened({ max_attempts: 2 }),
    report({ outcome: 'failed', rrn: '412345678901' }),
    at(1),
    timing,
  ).transaction
  const wrong = applyReport(declined, report({ reference: 'R2', amount: '1.00' }), at(2), timing).transaction
  expect(view(wrong, 3).data.transaction.attempts).toEqual([
    {
      id: 'R1',
      method: 'upi',
      status: 'failed',
      failure_reason: 'declined',
      failure_code: 'unknown',
      reference: 'R1',
      rrn: '412345678901',
      started_at: at(1).toISOString(),
      ended_at: at(1).toISOString(),
    },
    {
      id: 'R2',
      method: 'upi',
      status: 'failed',
      failure_reason: 'amount_mismatch',
      failure_code: null,
      reference: 'R2',
      rrn: null,
      started_at: at(2).toISOString(),
      ended_at: at(2).toISOString(),
    },
  ])
  const reversal = { reference: 'R2', amount: '1.00', reason: 'amount_mismatch', requested_at: at(2).toISOString() }
  expect(view(wrong, 3).data.transaction.reversals).toEqual([{ ...reversal, status: 'pending', rrn: null, completed_at: null }])
  const done = applyReversalAnswer(wrong, 'R2', { status: 'succeeded', rrn: '998877665544' }, at(3), timing).transaction
  expect(view(done, 4).data.transaction.reversals).toEqual([
    { ...reversal, status: 'succeeded', rrn: '998877665544', completed_at: at(3).toISOString() },
  ])

  const open = applyReport(opened(), report({ outcome: 'pending' }), at(1), timing).transaction
  expect(view(open, 2).data.transaction.attempts).toMatchObject([{ status: 'open', failure_reason: null, ended_at: null }])
})

// Proves: api/search-checkout-while-payable
test('checkout is present while the order can be paid, and null once it ends, is cancelled or has expired', () => {
  const pending = applyReport(order, report({ outcome: 'pending' }), at(1), timing).transaction
  const paid = applyReport(order, report(), at(1), timing).transaction
  const failed = applyReport(order, report({ outcome: 'failed' }), at(1), timing).transaction
  expect([view(order, 1199), view(pending, 2)].map(({ checkout }) => checkout)).toEqual([links, links])
  const over = [view(order, 1200), view(paid, 2), view(failed, 2), view(cancel(order, at(1)).transaction, 2)]
  expect(over.map(({ checkout }) => checkout)).toEqual([null, null, null, null])
})
