import type { Log } from '@gateway/service-kit'
import type { Delivery, DeliveryLists } from '../../deliveries/index.ts'
import type { RetryPublisher } from '../publishing/retry-publisher.ts'

export interface SweepOptions {
  readonly lists: Pick<DeliveryLists, 'overdue' | 'takeOverdue'>
  readonly retries: Pick<RetryPublisher, 'publishNow'>
  readonly overdueMs: number
  readonly canPublish: () => boolean
  readonly log: Log
  readonly now: () => Date
}

const MAX_PER_STEP = 100

/**
 * Publishes overdue deliveries again: their message was lost between the record and the broker, or the replica that held it
 * died. Of two messages for one attempt, the second fails to claim it. One bounded step; true when there may be more.
 */
export function makeSweepOverdue({ lists, retries, overdueMs, canPublish, log, now }: SweepOptions): () => Promise<boolean> {
  return async () => {
    if (!canPublish()) return false
    const at = now()
    const overdue = await lists.overdue(new Date(at.getTime() - overdueMs), at, MAX_PER_STEP)
    const published = await Promise.all(overdue.map((delivery) => republish(delivery, at)))
    const count = published.filter(Boolean).length
    if (count > 0) log.warn('overdue deliveries republished', { count })
    return overdue.length === MAX_PER_STEP
  }

  /** Taken first: other replicas leave it out, and if the publish fails it becomes overdue again. */
  async function republish(delivery: Delivery, at: Date): Promise<boolean> {
    if (delivery.state.status !== 'retrying') return false
    if (!(await lists.takeOverdue(delivery, delivery.state.next_attempt_at, at))) return false
    await retries.publishNow(delivery)
    return true
  }
}
