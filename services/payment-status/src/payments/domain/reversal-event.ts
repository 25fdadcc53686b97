import { istDayEnd, REVERSAL_STATUS_CHANGED, type ReversalStatusChanged } from '@gateway/contracts'
import type { Reversal, Transaction } from './transaction.ts'

/** RBI's turn-around time (circular of 20 September 2019): T + 5 calendar days. Each further day costs the bank 100 rupees. */
const DUE_DAYS = 5

/** True for the first answer on T + 4, the day before it is due. `previousAt` is the time of the answer before. */
export function isDueTomorrow({ requestedAt }: Pick<Reversal, 'requestedAt'>, previousAt: Date, now: Date): boolean {
  const dayBegins = istDayEnd(requestedAt, DUE_DAYS - 2)
  return now > dayBegins && previousAt <= dayBegins
}

/** Pending reversals that were requested at this instant or earlier are due tomorrow or earlier. */
export function dueTomorrowSince(now: Date): Date {
  return istDayEnd(now, 1 - DUE_DAYS)
}

/** The event of a reversal's present status. */
export function reversalStatusChanged({ id, order }: Transaction, reversal: Reversal, now: Date): ReversalStatusChanged {
  const sequence = reversal.status === 'pending' ? 1 : 2
  return {
    id: `${id}.rev-${reversal.reference}.${sequence}`,
    type: REVERSAL_STATUS_CHANGED,
    version: 1,
    occurred_at: now.toISOString(),
    correlation_id: order.correlationId,
    data: { transaction_id: id, reference: reversal.reference, status: reversal.status },
  }
}
