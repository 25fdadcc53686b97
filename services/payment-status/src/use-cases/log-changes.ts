import { currentCorrelation, withCorrelation, type Log } from '@gateway/service-kit'
import type { Decision, Transaction } from '../domain/transaction.ts'

/** Told of what was committed, and of what was there before if anything was. One line for each status change, with the correlation id of its order whatever caused it: how a payment is followed. */
export type LogChanges = (saved: Decision, before?: Transaction) => void

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
