import type { Channel } from '../../endpoints/index.ts'
import { type AttemptResult, isAcknowledged, isGone } from '../../sending/index.ts'
import type { Webhook, WebhookEvent } from './webhook.ts'

/** One webhook for a merchant. Its record decides, messages only trigger attempts (design, section 6). */
export interface Delivery {
  /** The event's id, which is also `webhook-id`. */
  readonly id: string
  readonly channel: Channel
  readonly merchant_id: string
  readonly order_id: string
  readonly transaction_id: string
  readonly sequence: number
  readonly correlation_id: string
  /** Created once; the same bytes on every attempt. */
  readonly body: string
  /** URL of the next attempt; `null` when no endpoint was registered at the order's creation. */
  readonly url: string | null
  /** The URL that was current at the order's creation. */
  readonly original_url: string | null
  readonly state: DeliveryState
  /** Recorded attempts, over all rounds. */
  readonly attempt_count: number
  /** Attempts before this round: a resend of a closed delivery starts the schedule again. */
  readonly round_start: number
  /** The latest attempts, oldest first. */
  readonly attempts: readonly Attempt[]
  /** The latest resends, oldest first. */
  readonly resends: readonly Resend[]
  /** When the status changed. */
  readonly occurred_at: Date
  readonly created_at: Date
}

/** What a record is found by: its id tells its slot, and with the merchant the database knows the shard. */
export type DeliveryKey = Pick<Delivery, 'id' | 'merchant_id'>

export type AddressedDelivery = Delivery & { readonly url: string }

/** False for a delivery without a URL, which is dead from its creation. */
export function isAddressed(delivery: Delivery): delivery is AddressedDelivery {
  return delivery.url !== null
}

export type DeliveryStatus = 'retrying' | 'delivered' | 'dead'

/**
 * `exhausted`: the schedule has ended. `no_endpoint`: there was no URL to send to. `endpoint_disabled`: the URL answered 410
 * or has failed for too long; nothing is sent to it until the merchant enables it.
 */
export const DEAD_REASONS = ['exhausted', 'no_endpoint', 'endpoint_disabled'] as const
export type DeadReason = (typeof DEAD_REASONS)[number]

export type DeliveryState =
  | { readonly status: 'retrying'; readonly next_attempt_at: Date }
  | { readonly status: 'delivered' }
  | { readonly status: 'dead'; readonly reason: DeadReason }

export interface Attempt extends AttemptResult {
  /** From 1, without gaps; 0 for a note that nothing was sent. */
  readonly number: number
}

/** A resend that a merchant or an operator asked for, and what the delivery was before it. */
export interface Resend {
  readonly at: Date
  /** The URL of the attempts before it. */
  readonly url: string | null
  /** The number of attempts before it. */
  readonly attempt_count: number
  /** Why the delivery was dead; `null` when it was not. */
  readonly dead_reason: DeadReason | null
}

/** The note about a resend of a delivery in this state. */
export function resendOf({ url, attempt_count, state }: Pick<Delivery, 'url' | 'attempt_count' | 'state'>, at: Date): Resend {
  return { at, url, attempt_count, dead_reason: state.status === 'dead' ? state.reason : null }
}

/** The delays between the attempts of one delivery, in milliseconds (design, section 6). */
export type RetrySchedule = readonly number[]

/**
 * How long to wait after the failed attempt number `attempt` (from 1), in milliseconds; `undefined` when it was the last.
 * With n delays there are n + 1 attempts, also when the merchant sends `Retry-After`.
 *
 * A longer `retryAfterMs` is rounded up to the next delay of the schedule, since each delay is a queue. The result is never
 * shorter than the delay that is due and never longer than the longest one.
 */
export function nextDelayMs(schedule: RetrySchedule, attempt: number, retryAfterMs = 0): number | undefined {
  const dueMs = schedule[attempt - 1]
  if (dueMs === undefined || retryAfterMs <= dueMs) return dueMs
  const longEnough = schedule.filter((levelMs) => levelMs >= retryAfterMs)
  return longEnough.length > 0 ? Math.min(...longEnough) : Math.max(...schedule)
}

export type AttemptDecision =
  | { readonly kind: 'delivered'; readonly state: DeliveryState & { status: 'delivered' } }
  | { readonly kind: 'retry'; readonly state: DeliveryState & { status: 'retrying' }; readonly delayMs: number }
  | { readonly kind: 'dead'; readonly state: DeliveryState & { status: 'dead' } }

/** What follows from an attempt's result; `now` is when the result is known. */
export function decide(attempt: Attempt, roundStart: number, schedule: RetrySchedule, now: Date): AttemptDecision {
  if (isAcknowledged(attempt)) return { kind: 'delivered', state: { status: 'delivered' } }
  if (isGone(attempt)) return { kind: 'dead', state: { status: 'dead', reason: 'endpoint_disabled' } }
  const delayMs = nextDelayMs(schedule, attempt.number - roundStart, attempt.retry_after_ms)
  if (delayMs === undefined) return { kind: 'dead', state: { status: 'dead', reason: 'exhausted' } }
  return { kind: 'retry', state: { status: 'retrying', next_attempt_at: new Date(now.getTime() + delayMs) }, delayMs }
}

/** A delivery before its first attempt, or dead at once when no URL was registered. */
export function openDelivery(
  event: WebhookEvent,
  { channel, body }: Pick<Webhook, 'channel' | 'body'>,
  url: string | undefined,
  now: Date,
): Delivery {
  const { id, correlation_id } = event
  const { merchant_id, order_id, transaction_id, sequence } = event.data
  return {
    ...{ id, channel, merchant_id, order_id, transaction_id, sequence, correlation_id, body },
    url: url ?? null,
    original_url: url ?? null,
    state: url === undefined ? { status: 'dead', reason: 'no_endpoint' } : { status: 'retrying', next_attempt_at: now },
    attempt_count: 0,
    round_start: 0,
    attempts: url === undefined ? [notSent('no_endpoint', now)] : [],
    resends: [],
    occurred_at: new Date(event.occurred_at),
    created_at: now,
  }
}

/** A note among the attempts that says why nothing was sent. */
export function notSent(error: 'no_endpoint' | 'endpoint_disabled', at: Date): Attempt {
  return { number: 0, at, duration_ms: 0, status_code: null, error, address: null, response_excerpt: null }
}

/** The delivery of a disabled endpoint: dead, with a note that says why. */
export function withEndpointDisabled(delivery: Delivery, now: Date): Delivery {
  const state = { status: 'dead', reason: 'endpoint_disabled' } as const
  return { ...delivery, state, attempts: [...delivery.attempts, notSent('endpoint_disabled', now)] }
}

/** The delivery after an attempt. */
export function withAttempt(delivery: Delivery, attempt: Attempt, { state }: AttemptDecision): Delivery {
  return { ...delivery, state, attempt_count: attempt.number, attempts: [...delivery.attempts, attempt] }
}
