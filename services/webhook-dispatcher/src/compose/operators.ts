import type { Queue, QueueAdmin } from '@gateway/messaging'
import { noTransitions, paymentStatusTransitions } from '../clients/payment-status.ts'
import type { WaitQueues } from '../persistence/wait-queues.ts'
import { makeAuditDeliveries } from '../use-cases/audit-deliveries.ts'
import { makeCompareRefunds } from '../use-cases/compare-refunds.ts'
import { makeInspectDelivery } from '../use-cases/inspect-delivery.ts'
import { makeListDisabledEndpoints } from '../use-cases/list-disabled-endpoints.ts'
import { makeReplayDead } from '../use-cases/replay-dead.ts'
import { makeResetEndpoint } from '../use-cases/reset-endpoint.ts'
import { makeRetiredQueues } from '../use-cases/retired-queues.ts'
import type { Parts } from './parts.ts'

/** A replica that has not named its queues this many times in a row no longer uses them. */
const MISSED_HEARTBEATS = 4

export interface QueueParts {
  readonly waitQueues: WaitQueues
  /** The wait queues of this replica. */
  readonly inUse: readonly Queue[]
  readonly admin: QueueAdmin
}

/** The use cases behind the operators' routes. */
export function composeOperators(parts: Parts, queues: QueueParts) {
  const {
    config,
    endpoints,
    listenSecrets,
    deliveries,
    lists,
    listDeliveriesOf,
    listRefundDeliveriesOf,
    resend,
    log,
    now,
    waitUntil,
  } = parts
  const unusedAfterMs = MISSED_HEARTBEATS * config.queueHeartbeatMs
  return {
    inspectDelivery: makeInspectDelivery(deliveries),
    replayDead: makeReplayDead({ lists, resend, now, waitUntil }),
    auditDeliveries: makeAuditDeliveries({
      fetchTransitions: config.paymentStatus ? paymentStatusTransitions(config.paymentStatus) : noTransitions,
      listDeliveriesOf,
      compareRefunds: makeCompareRefunds({ endpoints, listRefundDeliveriesOf }),
      retentionMs: config.retentionMs,
      graceMs: config.auditGraceMs,
      // The sweep republishes an overdue delivery first.
      overdueMs: config.sweepOverdueMs + config.auditGraceMs,
      now,
    }),
    listDisabledEndpoints: makeListDisabledEndpoints(endpoints),
    resetEndpoint: makeResetEndpoint({ endpoints, listenSecrets, now, waitUntil }),
    retiredQueues: makeRetiredQueues({ ...queues, times: { unusedAfterMs, restMs: config.queueRestMs }, log, now }),
  }
}
