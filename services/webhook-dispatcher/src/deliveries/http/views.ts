import { ValidationFailed } from '@gateway/contracts'
import type { Attempt, Delivery } from '../domain/delivery.ts'
import type { Page } from '../use-cases/read-deliveries.ts'

type Position = NonNullable<Page['next']>

export const DEFAULT_LIMIT = 20

/** A delivery as merchants see it (design, section 5). */
export function deliveryView(delivery: Delivery) {
  return {
    id: delivery.id,
    channel: delivery.channel,
    order_id: delivery.orderId,
    transaction_id: delivery.transactionId,
    sequence: delivery.sequence,
    status: delivery.state.status,
    url: delivery.url,
    next_attempt_at: delivery.state.status === 'retrying' ? delivery.state.nextAttemptAt.toISOString() : null,
    attempts: delivery.attempts.map(attemptView),
  }
}

export function attemptView(attempt: Omit<Attempt, 'number'>) {
  return {
    at: attempt.at.toISOString(),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: attempt.error,
    response_excerpt: attempt.responseExcerpt,
  }
}

export function pageView<V>({ deliveries, next }: Page, view: (delivery: Delivery) => V) {
  return { data: { deliveries: deliveries.map(view) }, next_cursor: next ? writeCursor(next) : null }
}

/** Opaque to callers: where the page ended. */
export function writeCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.getTime()}/${id}`).toString('base64url')
}

export function readCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const [, createdAtMs, id] = /^(\d{1,15})\/([\x21-\x7e]{1,200})$/u.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
  if (createdAtMs === undefined || id === undefined) {
    throw new ValidationFailed([{ field: '/cursor', message: 'must be the next_cursor of an earlier page' }])
  }
  return { createdAt: new Date(Number(createdAtMs)), id }
}
