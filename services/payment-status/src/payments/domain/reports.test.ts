import { applyReport } from './reports.ts'
import { startAttempt } from './attempts.ts'
import { cancel } from './transition.ts'
import type { Decision, Transaction } from './transaction.ts'
import { at, noon, opened, report, timing, T1 } from '../../../test/data.ts'

const apply = (transaction: Transaction, fields: Parameters<typeof report>[0], seconds = 1): Decision =>
  applyReport(transaction, report(fields), at(seconds), timing)
const after = (transaction: Transaction, ...steps: Parameters<typeof report>[0][]): Transaction =>
  steps.reduce((current, fields) => apply(current, fields).transaction, transaction)

// Proves: spec/success-payment-completed
test('a UPI app pays at once: Initiate → Success with the payer and the rrn', () => {
  const payer = { name: 'Asha', vpa: 'asha@okbank' }
  const { transaction, events } = apply(opened(), { rrn: '123456789012', payer })
  expect(transaction).toMatchObject({
    status: 'Success',
    sequence: 2,
    method: 'upi',
    rrn: '123456789012',
    payer,
    final_at: at(1),
  })
  expect(transaction.attempts).toEqual([
    {
      ...{
        id: 'R1',
        method: 'upi',
        status: 'succeeded',
        failure_reason: null,
        reference: 'R1',
        started_at: at(1),
        ended_at: at(1),
      },
      ...{ rrn: '123456789012', payer, failure_code: null, network_code: null },
    },
  ])
  expect(events.map(({ id, data }) => [id, data.status, data.rrn])).toEqual([[`${T1}.2`, 'Success', '123456789012']])
})

// Proves: spec/pending-in-progress, state/pending-begins-when-network-first-reports
// Proves: state/one-reference-may-go-pending-success
test('pending, then success', () => {
  const pending = apply(opened(), { outcome: 'pending' })
  expect(pending.transaction).toMatchObject({ status: 'Pending', enquiry: { due_at: at(11) } })
  expect(apply(pending.transaction, {}).transaction).toMatchObject({ status: 'Success', sequence: 3 })
})

// Proves: state/late-reports-change-nothing-final
test('a pending report that arrives after the success changes nothing', () => {
  const paid = after(opened(), {})
  const decision = apply(paid, { outcome: 'pending' })
  expect(decision.events).toEqual([])
  expect(decision.transaction).toMatchObject({ status: 'Success', attempts: paid.attempts })
})

// Proves: state/reports-are-deduplicated
test('a repeated report has no effect at all', () => {
  const paid = after(opened(), {})
  expect(apply(paid, {}).transaction).toBe(paid)
})

// Proves: spec/failed-declined-or-expired, state/decline-of-only-attempt-is-failed
test('a decline is Failed when one attempt is allowed', () => {
  expect(apply(opened(), { outcome: 'failed' }).transaction).toMatchObject({
    status: 'Failed',
    failure_reason: 'declined',
    sequence: 2,
  })
  expect(apply(opened(), { outcome: 'failed', reason: 'cancelled' }).transaction.failure_reason).toBe('cancelled')
  expect(apply(opened(), { outcome: 'failed', reason: 'unconfirmed' }).transaction.failure_reason).toBe('declined')
})

// Proves: state/decline-with-attempts-left-stays-pending
test('with attempts left a decline keeps Pending, and the last one ends in Failed', () => {
  const once = after(opened({ max_attempts: 2 }), { outcome: 'failed' })
  expect(once).toMatchObject({ status: 'Pending', sequence: 2 })
  expect(after(once, { reference: 'R2', outcome: 'failed' })).toMatchObject({ status: 'Failed', sequence: 3 })
})

// Proves: state/last-decline-waits-for-open-attempts
test('the last decline waits until no attempt is open', () => {
  const started = startAttempt(opened({ max_attempts: 2 }), { id: 'A1', method: 'upi' }, noon, timing)
  if (typeof started === 'string') throw new Error(started)
  const declined = after(started.transaction, { reference: 'R1', outcome: 'failed' }, { reference: 'R2', outcome: 'failed' })
  expect(declined.status).toBe('Pending')
  expect(after(declined, { reference: 'R3', attempt_id: 'A1', outcome: 'failed' }).status).toBe('Failed')
})

// Proves: state/one-reference-may-go-pending-success
test('failure, then success of the same reference, is paid', () => {
  const declined = after(opened({ max_attempts: 2 }), { outcome: 'failed' })
  expect(after(declined, {})).toMatchObject({ status: 'Success', attempts: [{ status: 'succeeded', failure_reason: null }] })
})

// Proves: state/late-reports-change-nothing-final
test('success, then failure of the same reference, is an alert and nothing else', () => {
  const decision = apply(after(opened(), {}), { outcome: 'failed' })
  expect(decision.transaction).toMatchObject({ status: 'Success', reversals: [] })
  expect(decision.alerts).toEqual(['contradictory_report'])
})

// Proves: state/wrong-amount-attempt-ends-amount-mismatch-counts
test('a wrong amount is declined and reversed', () => {
  const { transaction } = apply(opened(), { amount: '498.99' })
  expect(transaction).toMatchObject({
    status: 'Failed',
    failure_reason: 'amount_mismatch',
    attempts: [{ status: 'failed', failure_reason: 'amount_mismatch' }],
    reversals: [{ reference: 'R1', amount_paise: 49899, reason: 'amount_mismatch', status: 'pending', due_at: at(1) }],
  })
})

test('a second capture is reversed as a duplicate, and the order stays paid', () => {
  const { transaction, events } = apply(after(opened(), { rrn: '1' }), { reference: 'R2', rrn: '2' })
  expect(transaction).toMatchObject({
    status: 'Success',
    rrn: '1',
    reversals: [{ reference: 'R2', reason: 'duplicate' }],
    attempts: [{ status: 'succeeded' }, { status: 'reversed' }],
  })
  expect(events).toEqual([])
})

// Proves: state/late-money-never-changes-final-status
test('money after the end is reversed as late, and the order stays Failed', () => {
  const failed = after(opened(), { outcome: 'failed' })
  expect(after(failed, {})).toMatchObject({
    status: 'Failed',
    failure_reason: 'declined',
    reversals: [{ reason: 'late', amount_paise: 49900 }],
    attempts: [{ status: 'reversed' }],
  })
})

// Proves: state/reports-are-deduplicated
test('another amount for a reference that was captured never reverses the accepted money', () => {
  const decision = apply(after(opened(), {}), { amount: '1.00' })
  expect(decision.transaction.reversals).toEqual([])
  expect(decision.alerts).toEqual(['contradictory_report'])
})

test('a success while the order is closing is a success: the money is there', () => {
  const closing = cancel(opened(), at(0)).transaction
  expect(after(closing, {})).toMatchObject({ status: 'Success' })
})

test('a decline while the order is closing brings the enquiry forward', () => {
  const closing = { ...cancel(opened(), at(0)).transaction, enquiry: { due_at: at(60), requests: 1, round: 0 } }
  expect(after(closing, { outcome: 'failed' })).toMatchObject({ status: 'Initiate', enquiry: { due_at: at(1) } })
})

test('a report finds an attempt of the checkout by its id', () => {
  const started = startAttempt(opened(), { id: 'A1', method: 'debit_card' }, noon, timing)
  if (typeof started === 'string') throw new Error(started)
  expect(after(started.transaction, { attempt_id: 'A1', method: 'debit_card' }).attempts).toMatchObject([
    { id: 'A1', reference: 'R1', status: 'succeeded' },
  ])
})

describe('the network knows the method better than the checkout', () => {
  const tried = (data: Parameters<typeof opened>[0] = {}): Transaction => {
    const started = startAttempt(opened(data), { id: 'attempt-1', method: 'credit_card' }, at(1), timing)
    if (typeof started === 'string') throw new Error(started)
    return started.transaction
  }
  const debit = (fields: Parameters<typeof report>[0]) => report({ attempt_id: 'attempt-1', method: 'debit_card', ...fields })

  test.each([
    ['a success', { outcome: 'success' }, { status: 'Success', method: 'debit_card' }],
    ['a decline', { outcome: 'failed' }, { status: 'Failed', method: 'debit_card' }],
    ['a wrong amount', { outcome: 'success', amount: '1.00' }, { status: 'Failed', method: 'debit_card' }],
    ['a payment under way', { outcome: 'pending' }, { status: 'Pending', method: null }],
  ] as const)('%s', (_name, fields, becomes) => {
    const { transaction, events } = applyReport(tried(), debit(fields), at(2), timing)
    expect(transaction).toMatchObject({ ...becomes, attempts: [{ id: 'attempt-1', method: 'debit_card' }] })
    expect(events.map(({ data }) => data.method)).toEqual(becomes.method === null ? [] : ['debit_card'])
  })

  test('a decline that leaves another attempt, and money after the end', () => {
    expect(applyReport(tried({ max_attempts: 2 }), debit({ outcome: 'failed' }), at(2), timing).transaction).toMatchObject({
      status: 'Pending',
      method: null,
      attempts: [{ method: 'debit_card', failure_reason: 'declined' }],
    })
    const failed = applyReport(tried(), report({ outcome: 'failed', reference: 'R9', method: 'upi' }), at(2), timing).transaction
    expect(applyReport(failed, debit({ outcome: 'success' }), at(3), timing).transaction.attempts).toMatchObject([
      { id: 'attempt-1', method: 'debit_card' },
      { id: 'R9', method: 'upi' },
    ])
  })
})
