import type { TimelineEvent } from '@gateway/contracts'
import { timelineOf } from '../domain/timeline.ts'
import type { FindDeliveriesOf } from '../persistence/timeline-deliveries.ts'

/** What happened to the webhooks of one transaction; empty for an unknown one. */
export type ReadTimeline = (transactionId: string) => Promise<TimelineEvent[]>

export function makeReadTimeline(findDeliveriesOf: FindDeliveriesOf): ReadTimeline {
  return async (transactionId) => (await findDeliveriesOf(transactionId)).flatMap(timelineOf)
}
