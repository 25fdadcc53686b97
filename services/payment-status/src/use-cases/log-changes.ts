import { currentCorrelation, withCorrelation, type Log } from '@gateway/service-kit'
import type { Decision } from '../domain/transaction.ts'

/** One line for each status change, with the correlation id of its order whatever caused it: how a payment is followed. */
export type LogChanges = (saved: Decision) => void

export function makeLogChanges(log: Log): LogChanges {
  return ({ events }) => {
    for (const { correlation_id: correlationId, data } of events) {
      const { transaction_id, status, sequence, failure_reason } = data
      withCorrelation({ ...currentCorrelation(), correlationId }, () => {
        log.info('status changed', { transaction_id, status, sequence, failure_reason })
      })
    }
  }
}
