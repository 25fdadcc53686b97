import { reversalStatusChanged as isReversalEvent } from '@gateway/contracts'
import { at, opened, report, timing } from '../../test/data.ts'
import { applyReport } from './reports.ts'
import { applyReversalAnswer } from './reversals.ts'
import type { Transaction } from './transaction.ts'

/** Paid twice: the second payment goes back. */
function reversing(): { transaction: Transaction; events: readonly unknown[] } {
  const paid = applyReport(opened(), report(), at(60), timing).transaction
  const { transaction, moneyEvents = [] } = applyReport(paid, report({ reference: 'R2' }), at(70), timing)
  return { transaction, events: moneyEvents }
}

// Proves: refunds/reversal-events
test('the request and the end of a reversal are events, which say when it is due', () => {
  const { transaction, events } = reversing()
  const ended = applyReversalAnswer(transaction, 'R2', 'succeeded', at(80), timing)
  const all = [...events, ...(ended.moneyEvents ?? [])]
  expect(all).toMatchObject([
    {
      id: 'T1.rev-R2.1',
      data: { status: 'pending', reason: 'duplicate', amount_paise: 49_900, due_by: '2026-01-06T18:29:59.999Z' },
    },
    { id: 'T1.rev-R2.2', data: { status: 'succeeded', completed_at: at(80).toISOString() } },
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
