import { ValidationFailed } from '@gateway/contracts'
import type { Attempt, Delivery } from '../domain/delivery.ts'
import type { Page } from '../use-cases/read-deliveries.ts'

type Position = NonNullable<Page['next']>

export const DEFAULT_LIMIT = 20

/** A delivery as merchants see it (design, section 5). */
export function deliveryView({ id, channel, order_id, transaction_id, sequence, state, url, attempts }: Delivery) {
  return {
    ...{ id, channel, order_id, transaction_id, sequence, status: state.status, url },
    next_attempt_at: state.status === 'retrying' ? state.next_attempt_at.toISOString() : null,
    attempts: attempts.map(attemptView),
  }
}

export function attemptView({ at, duration_ms, status_code, error, response_excerpt }: Omit<Attempt, 'number'>) {
  return { at: at.toISOString(), duration_ms, status_code, error, response_excerpt }
}

export function pageView<V>({ deliveries, next }: Page, view: (delivery: Delivery) => V) {
  return { data: { deliveries: deliveries.map(view) }, next_cursor: next ? writeCursor(next) : null }
}

/** Opaque to callers: where the page ended. */
export function writeCursor({ created_at, id }: Position): string {
  return Buffer.from(`${created_at.getTime()}/${id}`).toString('base64url')
}

export function readCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const [, createdAtMs, id] = /^(\d{1,15})\/([\x21-\x7e]{1,200})$/u.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
  if (createdAtMs === undefined || id === undefined) {
    throw new ValidationFailed([{ field: '/cursor', message: 'must be the next_cursor of an earlier page' }])
  }
  return { created_at: new Date(Number(createdAtMs)), id }
}
