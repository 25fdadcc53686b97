import { ValidationFailed } from '@gateway/contracts'
import type { Attempt, Delivery } from '../domain/delivery.ts'
import type { AuditStep } from '../use-cases/audit-deliveries.ts'
import type { Page } from '../use-cases/list-deliveries.ts'
import type { RetiredQueue } from '../use-cases/retired-queues.ts'

type Position = NonNullable<Page['next']>

/** A delivery as merchants see it (design, section 5). */
export function deliveryView(delivery: Delivery) {
  return {
    id: delivery.id,
    channel: delivery.channel ?? 'payment',
    order_id: delivery.orderId,
    transaction_id: delivery.transactionId,
    sequence: delivery.sequence,
    status: delivery.state.status,
    url: delivery.url,
    next_attempt_at: delivery.state.status === 'retrying' ? delivery.state.nextAttemptAt.toISOString() : null,
    attempts: delivery.attempts.map(attemptView),
  }
}

function attemptView(attempt: Omit<Attempt, 'number'>) {
  return {
    at: attempt.at.toISOString(),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: attempt.error,
    response_excerpt: attempt.responseExcerpt,
  }
}

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

export function pageView<V>({ deliveries, next }: Page, view: (delivery: Delivery) => V) {
  return { data: { deliveries: deliveries.map(view) }, next_cursor: next ? writeCursor(next) : null }
}

/** Opaque to callers; holds only where the page ended. */
export function writeCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.getTime()}/${id}`).toString('base64url')
}

export function readCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const [, createdAtMs, id] = /^(\d{1,15})\/(.{1,200})$/u.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
  if (createdAtMs === undefined || id === undefined) {
    throw new ValidationFailed([{ field: '/cursor', message: 'must be the next_cursor of an earlier page' }])
  }
  return { createdAt: new Date(Number(createdAtMs)), id }
}
