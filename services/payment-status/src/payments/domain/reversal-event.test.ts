import { reversalStatusChanged as isReversalEvent } from '@gateway/contracts'
import { at, opened, report, timing } from '../../../test/data.ts'
import { applyReport } from './reports.ts'
import { applyReversalAnswer } from './reversals.ts'
import { dueTomorrowSince, isDueTomorrow } from './reversal-event.ts'
import { publishedEvents } from './published-events.ts'
import type { Decision } from './transaction.ts'

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
  const copy = { transaction_id: 'T1', version: requested.transaction.version }
  const reversal = { reference: 'R2', reason: 'duplicate', amount_paise: 49_900, requested_at: at(70).toISOString() }
  const pending = { ...reversal, status: 'pending', completed_at: null }
  const succeeded = { ...reversal, status: 'succeeded', completed_at: at(80).toISOString() }
  expect(all).toMatchObject([
    { id: 'T1.rev-R2.1', data: { status: 'pending', payment: { ...copy, reversals: [pending] } } },
    { id: 'T1.rev-R2.2', data: { status: 'succeeded', payment: { version: copy.version + 1, reversals: [succeeded] } } },
  ])
  expect(all.every((event) => isReversalEvent(event))).toBe(true)
})

// Proves: refunds/reversal-events
test('there is one alert on the day before it is due, however the requests fall', () => {
  let { transaction } = reversing()
  const alerts: string[] = []
  for (let asked = 0; asked < 12_000; asked++) {
    const due = transaction.reversals[0]?.dueAt
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
      if (isDueTomorrow({ requestedAt }, requestedAt, new Date(middle))) after = middle
      else before = middle
    }
    expect(requestedAt.getTime()).toBeGreaterThan(dueTomorrowSince(new Date(before)).getTime())
    expect(requestedAt.getTime()).toBeLessThanOrEqual(dueTomorrowSince(new Date(after)).getTime())
  },
)
