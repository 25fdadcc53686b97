import { compile, reversalStatusChangedSchema } from '@gateway/contracts'
import { applyReport } from './reports.ts'
import { applyReversalAnswer, dueReversals, dueTomorrowSince, isDueTomorrow } from './reversals.ts'
import { at, opened, report, timing, T1 } from '../../../test/data.ts'
import { publishedEvents } from './exported-payment.ts'
import type { Decision } from './transaction.ts'

/** What may be published: unknown fields are refused. */
const isReversalEvent = compile(reversalStatusChangedSchema)

const mismatch = applyReport(opened(), report({ amount: '1.00' }), at(0), timing).transaction

// Proves: state/reverse-is-repeated-until-answered
test('a reversal is due at once, and requested until it is answered', () => {
  expect(dueReversals(mismatch, at(0))).toHaveLength(1)
  const unclear = applyReversalAnswer(mismatch, 'R1', 'unclear', at(1), timing).transaction
  expect(unclear.reversals).toMatchObject([{ status: 'pending', requests: 1, due_at: at(2) }])
  const pending = applyReversalAnswer(unclear, 'R1', { status: 'pending' }, at(2), timing).transaction
  expect(pending.reversals).toMatchObject([{ status: 'pending', requests: 2, due_at: at(62) }])
  const done = applyReversalAnswer(pending, 'R1', { status: 'succeeded' }, at(62), timing).transaction
  expect(done.reversals).toMatchObject([{ status: 'succeeded', completed_at: at(62), due_at: null }])
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

/** Paid twice: the second payment goes back. */
function reversing(): Decision {
  const paid = applyReport(opened(), report(), at(60), timing).transaction
  return applyReport(paid, report({ reference: 'R2' }), at(70), timing)
}

// Proves: refunds/reversal-events
test('the request and the end of a reversal are events, with a copy of the payment', () => {
  const requested = reversing()
  const ended = applyReversalAnswer(requested.transaction, 'R2', { status: 'succeeded' }, at(80), timing)
  const all = [...publishedEvents(requested), ...publishedEvents(ended)]
  const copy = { transaction_id: T1, version: requested.transaction.version }
  const reversal = { reference: 'R2', reason: 'duplicate', amount_paise: 49_900, requested_at: at(70).toISOString() }
  const pending = { ...reversal, status: 'pending', completed_at: null }
  const succeeded = { ...reversal, status: 'succeeded', completed_at: at(80).toISOString() }
  expect(all).toMatchObject([
    { id: `${T1}.rev-R2.1`, data: { status: 'pending', payment: { ...copy, reversals: [pending] } } },
    { id: `${T1}.rev-R2.2`, data: { status: 'succeeded', payment: { version: copy.version + 1, reversals: [succeeded] } } },
  ])
  expect(all.every((event) => isReversalEvent(event))).toBe(true)
})

// Proves: refunds/reversal-events
test('there is one alert on the day before it is due, however the requests fall', () => {
  let { transaction } = reversing()
  const alerts: string[] = []
  for (let asked = 0; asked < 12_000; asked++) {
    const due = transaction.reversals[0]?.due_at
    if (!due) throw new Error('nothing is due')
    const decision = applyReversalAnswer(transaction, 'R2', 'unclear', due, timing)
    alerts.push(
      ...decision.alerts.filter((kind) => kind === 'reversal_due_tomorrow').map((kind) => `${kind} ${due.toISOString()}`),
    )
    transaction = decision.transaction
  }
  // The fourth day after 1 January begins, in IST, at 18:30 UTC of the 4th.
  expect(alerts).toHaveLength(1)
  expect(alerts[0]).toMatch(/^reversal_due_tomorrow 2026-01-04T18:30/u)
})

// Proves: refunds/waits-too-long-is-shown
test.each(['2026-01-01T00:00:00.000Z', '2026-01-01T18:29:59.999Z', '2026-01-01T18:30:00.000Z', '2024-02-26T12:00:00.000Z'])(
  'a reversal requested at %s counts as due from the moment of its alert on',
  (time) => {
    const requestedAt = new Date(time)
    let [before, after] = [requestedAt.getTime(), requestedAt.getTime() + 6 * 86_400_000]
    // The moment at which the fourth day begins, found by bisection.
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (isDueTomorrow({ requested_at: requestedAt }, requestedAt, new Date(middle))) after = middle
      else before = middle
    }
    expect(requestedAt.getTime()).toBeGreaterThan(dueTomorrowSince(new Date(before)).getTime())
    expect(requestedAt.getTime()).toBeLessThanOrEqual(dueTomorrowSince(new Date(after)).getTime())
  },
)
