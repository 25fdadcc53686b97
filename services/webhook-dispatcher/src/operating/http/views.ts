import { attemptView, type Delivery, deliveryView, pageView, writeCursor } from '../../deliveries/index.ts'
import type { ReplayDead } from '../../delivering/index.ts'
import type { AuditStep } from '../use-cases/audit-deliveries.ts'
import type { DisabledUrl } from '../use-cases/list-disabled-endpoints.ts'
import type { RetiredQueue } from '../use-cases/retired-queues.ts'

/** A delivery in an operator's list, with its merchant and why it is dead. */
export function operatorDeliveryView(delivery: Delivery) {
  const { merchant_id, original_url, state, attempt_count, created_at, correlation_id } = delivery
  return {
    ...deliveryView(delivery),
    ...{ merchant_id, original_url, dead_reason: state.status === 'dead' ? state.reason : null },
    ...{ attempt_count, created_at: created_at.toISOString(), correlation_id },
  }
}

/** The whole record, for an operator: every attempt with its number and remote address, and the body as it is sent. */
export function inspectedView(delivery: Delivery) {
  const attempts = delivery.attempts.map(({ number, address, ...attempt }) => ({
    number,
    ...attemptView({ ...attempt, address }),
    address,
  }))
  return { data: { delivery: { ...operatorDeliveryView(delivery), attempts, body: delivery.body } } }
}
export type InspectedDelivery = ReturnType<typeof inspectedView>

export const deliveryPage = (page: Parameters<typeof pageView>[0]) => pageView(page, operatorDeliveryView)
export type DeliveryPage = ReturnType<typeof deliveryPage>

export function replayedView({ replayed, skipped, next }: Awaited<ReturnType<ReplayDead>>) {
  return { data: { replayed, skipped }, next_cursor: next ? writeCursor(next) : null }
}
export type Replayed = ReturnType<typeof replayedView>

/** A step of the audit: counts of the compared records, and the first of the gaps. */
export function auditView({ since, until, counts, gapCounts, gaps, next }: AuditStep) {
  const named = gaps.map((gap) => ({ ...gap, at: gap.at.toISOString() }))
  const data = { since: since.toISOString(), until: until.toISOString(), counts, gap_counts: gapCounts, gaps: named }
  return { data, next_cursor: next ?? null }
}
export type AuditAnswer = ReturnType<typeof auditView>

export function retiredQueuesView(retired: readonly RetiredQueue[]) {
  const queues = retired.map(({ name, lastUsedAt, messages, retirement, done }) => ({
    name,
    last_used_at: lastUsedAt.toISOString(),
    messages,
    stage: retirement.stage,
    removable_at: retirement.stage === 'resting' ? retirement.removableAt.toISOString() : null,
    done,
  }))
  return { data: { queues } }
}
export type RetiredQueues = ReturnType<typeof retiredQueuesView>

export function disabledView({ merchant_id, channel, url, at, reason, failing_since }: DisabledUrl) {
  return { merchant_id, channel, url, disabled_at: at.toISOString(), reason, failing_since: failing_since.toISOString() }
}
