import { currentCorrelation, withCorrelation, type Log, type Metrics } from '@gateway/service-kit'
import type { Decision } from '../domain/transaction.ts'

/** Tells the operator what a person has to look at. */
export type RaiseAlerts = (decision: Decision) => void

export function makeRaiseAlerts({ log, alerts }: { log: Log; alerts: Metrics['alerts'] }): RaiseAlerts {
  return ({ transaction, alerts: raised }) => {
    for (const kind of raised) {
      alerts.inc({ kind })
      withCorrelation({ ...currentCorrelation(), correlationId: transaction.order.correlationId }, () => {
        log.error('alert', { kind, transaction_id: transaction.id, status: transaction.status })
      })
    }
  }
}
