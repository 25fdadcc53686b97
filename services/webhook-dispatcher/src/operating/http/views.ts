import { attemptView, type Delivery, deliveryView } from '../../deliveries/index.ts'
import type { AuditStep } from '../use-cases/audit-deliveries.ts'
import type { DisabledUrl } from '../use-cases/list-disabled-endpoints.ts'
import type { RetiredQueue } from '../use-cases/retired-queues.ts'

/** A delivery in an operator's list, with its merchant and why it is dead. */
export function operatorDeliveryView(delivery: Delivery) {
  return {
    ...deliveryView(delivery),
    merchant_id: delivery.merchantId,
    original_url: delivery.originalUrl,
    dead_reason: delivery.state.status === 'dead' ? delivery.state.reason : null,
    attempt_count: delivery.attemptCount,
    created_at: delivery.createdAt.toISOString(),
    correlation_id: delivery.correlationId,
  }
}

/** The whole record, for an operator: every attempt with its number and remote address, and the body as it is sent. */
export function inspectedView(delivery: Delivery) {
  const attempts = delivery.attempts.map(({ number, address, ...attempt }) => ({
    number,
    ...attemptView({ ...attempt, address }),
    address,
  }))
  return { ...operatorDeliveryView(delivery), attempts, body: delivery.body }
}

/** A step of the audit: counts of the compared records, and the first of the gaps. */
export function auditView({ since, until, counts, gapCounts, gaps, next }: AuditStep) {
  const named = gaps.map(({ kind, id, merchantId, at, detail }) => ({
    kind,
    id,
    merchant_id: merchantId,
    at: at.toISOString(),
    detail,
  }))
  const data = { since: since.toISOString(), until: until.toISOString(), counts, gap_counts: gapCounts, gaps: named }
  return { data, next_cursor: next ?? null }
}

export function retiredQueueView({ name, lastUsedAt, messages, retirement, done }: RetiredQueue) {
  return {
    name,
    last_used_at: lastUsedAt.toISOString(),
    messages,
    stage: retirement.stage,
    removable_at: retirement.stage === 'resting' ? retirement.removableAt.toISOString() : null,
    done,
  }
}

export function disabledView({ merchantId, channel, url, at, reason, failingSince }: DisabledUrl) {
  return {
    merchant_id: merchantId,
    channel,
    url,
    disabled_at: at.toISOString(),
    reason,
    failing_since: failingSince.toISOString(),
  }
}
