import { abandonAttempt, attemptsLeft, startAttempt, whyNoAttempt } from './attempts.ts'
import { applyEnquiry } from '../../enquiries/index.ts'
import { cancel } from './transition.ts'
import { applyReport } from './reports.ts'
import { at, noon, opened, report, timing } from '../../../test/data.ts'
import type { Transaction } from './transaction.ts'

function started(transaction: Transaction, id = 'A1'): Transaction {
  const decision = startAttempt(transaction, { id, method: 'credit_card' }, noon, timing)
  if (typeof decision === 'string') throw new Error(decision)
  return decision.transaction
}

// Proves: spec/pending-in-progress, state/pending-begins-when-attempt-committed-before
test('the first attempt makes the transaction Pending, before the network is called', () => {
  expect(started(opened())).toMatchObject({
    status: 'Pending',
    sequence: 2,
    attempts: [{ id: 'A1', status: 'open', method: 'credit_card', reference: null }],
    enquiry: { due_at: at(10) },
  })
})

test('the same attempt id again changes nothing: a reload or a double click is one attempt', () => {
  const once = started(opened())
  expect(started(once)).toBe(once)
})

// Proves: spec/one-integration-accepts-cards-net-banking, state/expiry-cancel-stop-new-attempts
test('why an attempt cannot start', () => {
  const order = opened()
  expect(whyNoAttempt(order, noon)).toBeUndefined()
  expect(whyNoAttempt(started(order), noon)).toBe('another_is_open')
  expect(whyNoAttempt(order, at(1200))).toBe('closing')
  expect(whyNoAttempt(cancel(order, noon).transaction, noon)).toBe('closing')
  expect(whyNoAttempt(applyReport(order, report(), noon, timing).transaction, noon)).toBe('final')
  const abandoned = abandonAttempt(started(order), 'A1', noon)
  if (typeof abandoned === 'string') throw new Error(abandoned)
  expect(whyNoAttempt(abandoned.transaction, noon)).toBe('no_attempts_left')
  expect(startAttempt(opened({ methods: ['upi'] }), { id: 'A1', method: 'debit_card' }, noon, timing)).toBe('method_not_offered')
})

// Proves: state/first-success-wins-others-reversed
test('"try another way" abandons the first attempt, and its success still wins when it comes first', () => {
  const abandoned = abandonAttempt(started(opened({ max_attempts: 2 })), 'A1', at(1))
  if (typeof abandoned === 'string') throw new Error(abandoned)
  const second = started(abandoned.transaction, 'A2')
  expect(attemptsLeft(second)).toBe(0)
  const paid = applyReport(second, report({ attempt_id: 'A1', method: 'credit_card' }), at(2), timing).transaction
  expect(paid).toMatchObject({ status: 'Success', attempts: [{ status: 'succeeded' }, { id: 'A2', status: 'open' }] })
  const both = applyReport(paid, report({ reference: 'R2', attempt_id: 'A2' }), at(3), timing).transaction
  expect(both).toMatchObject({ status: 'Success', reversals: [{ reference: 'R2', reason: 'duplicate' }] })
})

// Proves: state/abandoned-attempt-is-still-enquired
test('enquiries about an abandoned attempt continue, and the order does not fail before the network answers', () => {
  const open = started(opened({ max_attempts: 2 }))
  const abandoned = abandonAttempt(open, 'A1', at(1))
  if (typeof abandoned === 'string') throw new Error(abandoned)
  expect(abandoned.transaction).toMatchObject({ status: 'Pending', enquiry: open.enquiry, attempts: [{ status: 'abandoned' }] })
  const asked = applyEnquiry(abandoned.transaction, { kind: 'unclear', why: 'ECONNREFUSED' }, at(10), timing).transaction
  expect(asked.enquiry).toEqual({ due_at: at(20), requests: 1, round: 0 })
  const found = { kind: 'known', payments: [report({ attempt_id: 'A1', method: 'credit_card' })] } as const
  expect(applyEnquiry(asked, found, at(20), timing).transaction).toMatchObject({ status: 'Success' })
})

// Proves: state/attempt-limit-never-refuses-money
test('the limit counts attempts started at checkout; a payment beyond it is taken', () => {
  const abandoned = abandonAttempt(started(opened()), 'A1', at(1))
  if (typeof abandoned === 'string') throw new Error(abandoned)
  expect(attemptsLeft(abandoned.transaction)).toBe(0)
  const paid = applyReport(abandoned.transaction, report({ reference: 'APP' }), at(2), timing).transaction
  expect(paid).toMatchObject({ status: 'Success', captures: [{ reference: 'APP', disposition: 'accepted' }], reversals: [] })
})

// Proves: state/max-attempts-1-5-default-1
test('one attempt is allowed, or as many as the order says', () => {
  expect(attemptsLeft(opened())).toBe(1)
  expect(attemptsLeft(opened({ max_attempts: 5 }))).toBe(5)
  expect(attemptsLeft(started(opened({ max_attempts: 5 })))).toBe(4)
})

test('an unknown attempt cannot be abandoned', () => {
  expect(abandonAttempt(opened(), 'A9', noon)).toBe('attempt_not_found')
})
