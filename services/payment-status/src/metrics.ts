import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '@gateway/service-kit'
import { ALERTS } from './domain/transaction.ts'
import type { CountOverdue, FindOldestDue, Overdue } from './persistence/overdue.ts'
import type { LogChanges } from './use-cases/log-changes.ts'

/** What the network owes an answer for so long is looked at by a person. */
export const OVERDUE_AFTER_MS = 10 * 60_000

/** Counts status changes, after `logChanges`, and says at each scrape what the network does not answer. */
export function transactionMetrics(
  metrics: Metrics,
  {
    logChanges,
    countOverdue,
    findOldestDue,
    now,
  }: { logChanges: LogChanges; countOverdue: CountOverdue; findOldestDue: FindOldestDue; now: () => Date },
): LogChanges {
  const registers = [metrics.registry]
  // A counter that begins with its first event shows Prometheus no increase.
  for (const kind of [...ALERTS, 'report_quarantined']) metrics.alerts.inc({ kind }, 0)
  const transitions = new Counter({
    name: 'transaction_transitions_total',
    help: 'Status changes that were committed; from "none" when a transaction is opened',
    labelNames: ['from', 'to'],
    registers,
  })
  const gauges: Readonly<Record<keyof Overdue, Gauge>> = {
    enquiries: new Gauge({
      name: 'transaction_enquiries_unresolved',
      help: 'Orders that ended over ten minutes ago and whose payment the network does not settle; at most 1000 are counted',
      registers,
    }),
    reversals: new Gauge({
      name: 'transaction_reversals_overdue',
      help: 'Transactions with money that should have gone back over ten minutes ago; at most 1000 are counted',
      registers,
      async collect() {
        const counted = await countOverdue(new Date(now().getTime() - OVERDUE_AFTER_MS)).catch(() => undefined)
        // A database that is away is no zero.
        gauges.enquiries.set(counted?.enquiries ?? NaN)
        gauges.reversals.set(counted?.reversals ?? NaN)
      },
    }),
  }
  new Gauge({
    name: 'transactions_due_lag_seconds',
    help: 'How long the expiry, enquiry or reversal that is due longest waits already for a replica; 0 when none does',
    registers,
    async collect() {
      const at = now()
      const lagMs = await findOldestDue(at).then(
        (dueAt) => at.getTime() - (dueAt ?? at).getTime(),
        () => NaN,
      )
      this.set(lagMs / 1000)
    },
  })
  return (saved, before) => {
    let from: string = before?.status ?? 'none'
    for (const { data } of saved.events) {
      transitions.inc({ from, to: data.status })
      from = data.status
    }
    logChanges(saved, before)
  }
}
