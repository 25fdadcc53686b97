import { currentCorrelation, withCorrelation, type Log, type Metrics } from '@gateway/service-kit'
import type { Decision, OnCommitted } from '../payments/index.ts'

/**
 * Shows operators every committed change: it is counted, each status change is one log line, and each alert is raised. The lines
 * carry the correlation id of the order, whichever request or worker caused the change: so a payment can be followed.
 */
export function makeObserveChanges(dependencies: {
  log: Log
  alerts: Metrics['alerts']
  countTransitions: OnCommitted
}): OnCommitted {
  const { log, alerts, countTransitions } = dependencies
  return (committed, before) => {
    countTransitions(committed, before)
    const { correlationId } = committed.transaction.order
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
