import type { Queue, QueueAdmin } from '@gateway/messaging'
import type { Log } from '@gateway/service-kit'
import type { DispatcherConfig } from '../config.ts'
import type { FetchTransitions } from '../network/payment-status.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { DeliveryLists } from '../persistence/delivery-lists.ts'
import type { ListDeliveriesOf } from '../persistence/delivery-ranges.ts'
import type { WaitQueues } from '../persistence/wait-queues.ts'
import { makeAuditDeliveries } from './audit-deliveries.ts'
import { makeInspectDelivery } from './inspect-delivery.ts'
import { makeReplayDead } from './replay-dead.ts'
import type { Resend } from './resend.ts'
import { makeRetiredQueues } from './retired-queues.ts'

export interface OperatingParts {
  readonly config: DispatcherConfig
  readonly deliveries: Deliveries
  readonly lists: DeliveryLists
  readonly listDeliveriesOf: ListDeliveriesOf
  readonly fetchTransitions: FetchTransitions
  readonly waitQueues: WaitQueues
  /** The queues of this replica in which attempts wait. */
  readonly queuesInUse: readonly Queue[]
  readonly queueAdmin: QueueAdmin
  readonly log: Log
  readonly now: () => Date
}

/** A replica that has not named its queues so many times in a row does not use them any more. */
const MISSED_HEARTBEATS = 4

/** What operators do. */
export function wireOperating(parts: OperatingParts & { resend: Resend; waitUntil: (instantMs: number) => Promise<void> }) {
  const { config, deliveries, lists, listDeliveriesOf, fetchTransitions, resend, waitUntil, log, now } = parts
  const retiredQueues = makeRetiredQueues({
    waitQueues: parts.waitQueues,
    admin: parts.queueAdmin,
    inUse: parts.queuesInUse,
    times: { unusedAfterMs: MISSED_HEARTBEATS * config.queueHeartbeatMs, restMs: config.queueRestMs },
    log,
    now,
  })
  return {
    inspectDelivery: makeInspectDelivery(deliveries),
    replayDead: makeReplayDead({ lists, resend, now, waitUntil }),
    auditDeliveries: makeAuditDeliveries({
      fetchTransitions,
      listDeliveriesOf,
      retentionMs: config.retentionMs,
      graceMs: config.auditGraceMs,
      // What the sweep is about to wake is not lost.
      overdueMs: config.sweepOverdueMs + config.auditGraceMs,
      now,
    }),
    retiredQueues,
    keepQueues: async (): Promise<false> => {
      await retiredQueues.keep()
      return false
    },
  }
}
