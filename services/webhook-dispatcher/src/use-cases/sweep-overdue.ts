import type { Log } from '@gateway/service-kit'
import type { DeliveryLists } from '../persistence/delivery-lists.ts'
import type { WakeUps } from './attempt.ts'

export interface SweepOptions {
  readonly lists: Pick<DeliveryLists, 'overdue' | 'postpone'>
  readonly wakeUps: Pick<WakeUps, 'now'>
  readonly overdueMs: number
  readonly canPublish: () => boolean
  readonly log: Log
  readonly now: () => Date
}

const MAX_PER_STEP = 100

/**
 * Publishes again what is overdue: the wake-up was lost between the record and the broker, or its holder died. Whoever is
 * woken twice loses the claim. One bounded step; true when there may be more.
 */
export function makeSweepOverdue({ lists, wakeUps, overdueMs, canPublish, log, now }: SweepOptions): () => Promise<boolean> {
  return async () => {
    if (!canPublish()) return false
    const at = now()
    const overdue = await lists.overdue(new Date(at.getTime() - overdueMs), at, MAX_PER_STEP)
    const published = await Promise.all(
      overdue.map(async (delivery) => {
        // Postponed first: other replicas leave it alone, and it comes up again should publishing fail.
        if (delivery.state.status !== 'retrying') return false
        if (!(await lists.postpone(delivery, delivery.state.nextAttemptAt, at))) return false
        await wakeUps.now(delivery)
        return true
      }),
    )
    const count = published.filter(Boolean).length
    if (count > 0) log.warn('overdue deliveries were woken up', { count })
    return overdue.length === MAX_PER_STEP
  }
}
