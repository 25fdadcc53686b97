import { createMetrics } from '@gateway/service-kit'
import { transactionMetrics } from './metrics.ts'

test('every alert is exported from the start: Prometheus sees no increase in a counter that begins at one', async () => {
  const metrics = createMetrics('payment-status')
  transactionMetrics(metrics, {
    countOverdue: () => Promise.resolve({ enquiries: 0, reversals: 0, reversalsDue: 0, refunds: 0 }),
    findOldestDue: () => Promise.resolve(undefined),
    now: () => new Date(),
  })
  const text = await metrics.registry.metrics()
  for (const kind of [
    'unconfirmed',
    'contradictory_report',
    'reversal_refused',
    'reversal_overdue',
    'report_quarantined',
    'card_number_from_network',
  ])
    expect(text).toMatch(new RegExp(`^alerts_total\\{[^}]*kind="${kind}"[^}]*\\} 0$`, 'mu'))
})
