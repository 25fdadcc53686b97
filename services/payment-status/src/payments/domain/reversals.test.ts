import { applyReport } from './reports.ts'
import { applyReversalAnswer, dueReversals } from './reversals.ts'
import { at, opened, report, timing } from '../../../test/data.ts'

const mismatch = applyReport(opened(), report({ amount: '1.00' }), at(0), timing).transaction

// Proves: state/reverse-is-repeated-until-answered
test('a reversal is due at once, and requested until it is answered', () => {
  expect(dueReversals(mismatch, at(0))).toHaveLength(1)
  const unclear = applyReversalAnswer(mismatch, 'R1', 'unclear', at(1), timing).transaction
  expect(unclear.reversals).toMatchObject([{ status: 'pending', requests: 1, dueAt: at(2) }])
  const pending = applyReversalAnswer(unclear, 'R1', { status: 'pending' }, at(2), timing).transaction
  expect(pending.reversals).toMatchObject([{ status: 'pending', requests: 2, dueAt: at(62) }])
  const done = applyReversalAnswer(pending, 'R1', { status: 'succeeded' }, at(62), timing).transaction
  expect(done.reversals).toMatchObject([{ status: 'succeeded', completedAt: at(62), dueAt: null }])
  expect(dueReversals(done, at(9999))).toEqual([])
})

test('a refused reversal raises an alert, and its answer is final', () => {
  const refused = applyReversalAnswer(mismatch, 'R1', { status: 'failed' }, at(1), timing)
  expect(refused.alerts).toEqual(['reversal_refused'])
  expect(applyReversalAnswer(refused.transaction, 'R1', { status: 'succeeded' }, at(2), timing).transaction).toBe(
    refused.transaction,
  )
})

test('ten unclear answers raise one alert', () => {
  let transaction = mismatch
  const alerts: string[] = []
  for (let second = 1; second <= 20; second++) {
    const decision = applyReversalAnswer(transaction, 'R1', 'unclear', at(second), timing)
    transaction = decision.transaction
    alerts.push(...decision.alerts)
  }
  expect(alerts).toEqual(['reversal_overdue'])
})

test('an unknown reference changes nothing', () => {
  expect(applyReversalAnswer(mismatch, 'R9', { status: 'succeeded' }, at(1), timing).transaction).toBe(mismatch)
})
