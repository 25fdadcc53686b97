import type { TransactionStatusChanged } from '@gateway/contracts'
import { ADDRESS_KINDS } from './address-kind.ts'
import { nextDelayMs, type RetrySchedule } from './retry-schedule.ts'

/** One webhook on its way to a merchant. The record is the truth; messages only wake it up (design, section 6). */
export interface Delivery {
  /** The event's id, which is also `webhook-id`. */
  readonly id: string
  readonly merchantId: string
  readonly orderId: string
  readonly transactionId: string
  readonly sequence: number
  readonly correlationId: string
  /** Made once; the same bytes on every attempt. */
  readonly body: string
  /** Where the next attempt goes; `null` when no endpoint was registered at the order's creation. */
  readonly url: string | null
  /** The URL in force at the order's creation. */
  readonly originalUrl: string | null
  readonly state: DeliveryState
  /** Attempts made and recorded, over all rounds. */
  readonly attemptCount: number
  /** Attempts made before the present round: a resend of a closed delivery begins the schedule again. */
  readonly roundStart: number
  /** The latest attempts, oldest first. */
  readonly attempts: readonly Attempt[]
  /** When the status changed. */
  readonly occurredAt: Date
  readonly createdAt: Date
}

export const DELIVERY_STATUSES = ['retrying', 'delivered', 'dead'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/**
 * `exhausted`: the schedule has ended. `no_endpoint`: there was no URL to send it to. `endpoint_disabled`: its URL answered
 * 410 or has failed for too long, and nothing is sent there until the merchant enables it again.
 */
export const DEAD_REASONS = ['exhausted', 'no_endpoint', 'endpoint_disabled'] as const
export type DeadReason = (typeof DEAD_REASONS)[number]

export type DeliveryState =
  | { readonly status: 'retrying'; readonly nextAttemptAt: Date }
  | { readonly status: 'delivered' }
  | { readonly status: 'dead'; readonly reason: DeadReason }

/** What came of one POST. */
export interface AttemptResult {
  readonly at: Date
  readonly durationMs: number
  /** `null` when no status line came. */
  readonly statusCode: number | null
  /** Why the exchange did not end, from a closed list; `null` when it did. */
  readonly error: AttemptError | null
  /**
   * The connection's other end, such as `203.0.113.7:443`: what was connected to, could not be connected to, or was refused.
   * `null` when the attempt did not come so far, or was refused for what its URL says.
   */
  readonly address: string | null
  /** The beginning of the answer's body, printable; `null` without one. */
  readonly responseExcerpt: string | null
  /** How long the answer asked to be left alone; not kept, since what follows from it is `nextAttemptAt`. */
  readonly retryAfterMs?: number | undefined
}

/** Why an exchange did not end. `address_refused` alone is about the URL, not about an address behind it. */
export const ATTEMPT_ERRORS = [
  'timeout',
  'address_refused',
  ...ADDRESS_KINDS.map((kind) => `address_refused: ${kind}` as const),
  'name_not_resolved',
  'connection_refused',
  'connection_failed',
  'certificate_invalid',
  'response_invalid',
  'no_endpoint',
  'endpoint_disabled',
] as const
export type AttemptError = (typeof ATTEMPT_ERRORS)[number]

export interface Attempt extends AttemptResult {
  /** From 1, without gaps; 0 for a note that there was nothing to try. */
  readonly number: number
}

export type AttemptDecision =
  | { readonly kind: 'delivered'; readonly state: DeliveryState & { status: 'delivered' } }
  | { readonly kind: 'retry'; readonly state: DeliveryState & { status: 'retrying' }; readonly delayMs: number }
  | { readonly kind: 'dead'; readonly state: DeliveryState & { status: 'dead' } }

/** Only a whole answer with HTTP 200 acknowledges (specification, section 6.1). */
export function isAcknowledged({ statusCode, error }: Pick<AttemptResult, 'statusCode' | 'error'>): boolean {
  return statusCode === 200 && error === null
}

/** The endpoint is gone and will not come back by itself (RFC 9110, section 15.5.11): asking again is of no use. */
export function isGone({ statusCode }: Pick<AttemptResult, 'statusCode'>): boolean {
  return statusCode === 410
}

/** What an attempt's result does to the delivery; `now` is when the result is known. */
export function decide(attempt: Attempt, roundStart: number, schedule: RetrySchedule, now: Date): AttemptDecision {
  if (isAcknowledged(attempt)) return { kind: 'delivered', state: { status: 'delivered' } }
  if (isGone(attempt)) return { kind: 'dead', state: { status: 'dead', reason: 'endpoint_disabled' } }
  const delayMs = nextDelayMs(schedule, attempt.number - roundStart, attempt.retryAfterMs)
  if (delayMs === undefined) return { kind: 'dead', state: { status: 'dead', reason: 'exhausted' } }
  return { kind: 'retry', state: { status: 'retrying', nextAttemptAt: new Date(now.getTime() + delayMs) }, delayMs }
}

/** A delivery as it stands before its first attempt, or dead at once when there is nowhere to send it. */
export function openDelivery(event: TransactionStatusChanged, body: string, url: string | undefined, now: Date): Delivery {
  const { data } = event
  return {
    id: event.id,
    merchantId: data.merchant_id,
    orderId: data.order_id,
    transactionId: data.transaction_id,
    sequence: data.sequence,
    correlationId: event.correlation_id,
    body,
    url: url ?? null,
    originalUrl: url ?? null,
    state: url === undefined ? { status: 'dead', reason: 'no_endpoint' } : { status: 'retrying', nextAttemptAt: now },
    attemptCount: 0,
    roundStart: 0,
    attempts: url === undefined ? [notSent('no_endpoint', now)] : [],
    occurredAt: new Date(event.occurred_at),
    createdAt: now,
  }
}

/** A note among the attempts that says why there was none. */
export function notSent(error: 'no_endpoint' | 'endpoint_disabled', at: Date): Attempt {
  return { number: 0, at, durationMs: 0, statusCode: null, error, address: null, responseExcerpt: null }
}

/** The delivery of a disabled endpoint: dead, with what says why. */
export function withEndpointDisabled(delivery: Delivery, now: Date): Delivery {
  const state = { status: 'dead', reason: 'endpoint_disabled' } as const
  return { ...delivery, state, attempts: [...delivery.attempts, notSent('endpoint_disabled', now)] }
}

/** The delivery after an attempt. */
export function withAttempt(delivery: Delivery, attempt: Attempt, { state }: AttemptDecision): Delivery {
  return { ...delivery, state, attemptCount: attempt.number, attempts: [...delivery.attempts, attempt] }
}
