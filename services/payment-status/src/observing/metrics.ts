import { Counter, Gauge } from 'prom-client'
import { currentCorrelation, keepAnswer, withCorrelation, type Log, type Metrics } from '@gateway/service-kit'
import { ALERTS, type Decision, type OnCommitted } from '../payments/index.ts'
import type { CountOverdue, FindOldestDue } from './overdue.ts'

interface Sources {
  readonly countOverdue: CountOverdue
  readonly findOldestDue: FindOldestDue
  readonly now: () => Date
}

/** Registers the metrics of transactions; returns the observer that counts status changes. */
export function transactionMetrics(metrics: Metrics, sources: Sources): OnCommitted {
  // Prometheus sees no increase in a counter that appears with its first event.
  for (const kind of [...ALERTS, 'report_quarantined', 'order_event_lost', 'card_number_from_network', 'too_many_payments'])
    metrics.alerts.inc({ kind }, 0)
  measureOverdue(metrics, sources)
  measureLag(metrics, sources)
  const transitions = new Counter({
    name: 'transaction_transitions_total',
    help: 'Committed status changes; from "none" when a transaction is opened',
    labelNames: ['from', 'to'],
    registers: [metrics.registry],
  })
  return (committed, before) => {
    let from: string = before?.status ?? 'none'
    for (const { data } of committed.events) {
      transitions.inc({ from, to: data.status })
      from = data.status
    }
  }
}

/** The gauges show NaN, not 0, while the database is away. */
function measureOverdue({ registry }: Metrics, { countOverdue, now }: Sources): void {
  // One count serves all gauges of a scrape.
  const count = keepAnswer(() => countOverdue(now()), { keptMs: () => 0, now })
  const gauge = (name: string, key: keyof Awaited<ReturnType<CountOverdue>>, help: string): unknown =>
    new Gauge({
      ...{ name, help: `${help}; counts to 1000`, registers: [registry] },
      async collect() {
        const counted = await count().catch(() => undefined)
        this.set(counted?.[key] ?? NaN)
      },
    })
  const ended = 'Orders that ended over ten minutes ago and that the network has not settled'
  const dueTomorrow = 'Transactions with a pending reversal that is due tomorrow or earlier (T + 5 days in IST)'
  gauge('transaction_enquiries_unresolved', 'enquiries', ended)
  gauge('transaction_reversals_overdue', 'reversals', 'Transactions with a reversal that has been pending for over ten minutes')
  gauge('transaction_reversals_due', 'reversalsDue', dueTomorrow)
  gauge('transaction_refunds_overdue', 'refunds', 'Transactions with a refund that has been pending for over seven days')
}

function measureLag({ registry }: Metrics, { findOldestDue, now }: Sources): void {
  new Gauge({
    name: 'transactions_due_lag_seconds',
    help: 'How long the oldest due expiry, enquiry, reversal or refund has waited for a replica; 0 when none waits',
    registers: [registry],
    async collect() {
      const at = now()
      const lagMs = await findOldestDue(at).then(
        (dueAt) => at.getTime() - (dueAt ?? at).getTime(),
        () => NaN,
      )
      this.set(lagMs / 1000)
    },
  })
}

/** Counts every committed change, logs each status change under its order's correlation id, and raises each alert. */
export function makeObserveChanges(dependencies: {
  log: Log
  alerts: Metrics['alerts']
  countTransitions: OnCommitted
}): OnCommitted {
  const { log, alerts, countTransitions } = dependencies
  return (committed, before) => {
    countTransitions(committed, before)
    const { correlation_id: correlationId } = committed.transaction.order
    withCorrelation({ ...currentCorrelation(), correlationId }, () => {
      logStatusChanges(committed, log)
      raiseAlerts(committed, alerts, log)
    })
  }
}

function logStatusChanges({ events, moneyEvents }: Decision, log: Log): void {
  for (const { id, type, data } of moneyEvents) log.info('money status changed', { id, type, status: data.status })

  for (const { data } of events) {
    const { transaction_id, status, sequence, failure_reason } = data
    log.info('status changed', { transaction_id, status, sequence, failure_reason })
  }
}

function raiseAlerts({ transaction, alerts: kinds }: Decision, alerts: Metrics['alerts'], log: Log): void {
  for (const kind of kinds) {
    alerts.inc({ kind })
    log.error('alert', { kind, transaction_id: transaction.id, status: transaction.status })
  }
}
