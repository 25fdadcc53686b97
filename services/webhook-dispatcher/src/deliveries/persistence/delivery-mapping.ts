import { assertNever, Fault } from '@gateway/contracts'
import type { Attempt, Delivery, DeliveryState, Resend } from '../domain/delivery.ts'
import type { AttemptDocument, DeliveryDocument, ResendDocument } from './delivery-model.ts'

/** The latest attempts that a record keeps, over all resends and replays: 60 KiB with 1 KiB of each answer. */
const MAX_ATTEMPTS_KEPT = 50
const MAX_RESENDS_KEPT = 20

export function toDocument(delivery: Delivery, claimedUntil: Date): DeliveryDocument {
  return {
    _id: delivery.id,
    channel: delivery.channel,
    merchant_id: delivery.merchantId,
    order_id: delivery.orderId,
    transaction_id: delivery.transactionId,
    sequence: delivery.sequence,
    correlation_id: delivery.correlationId,
    body: delivery.body,
    url: delivery.url,
    original_url: delivery.originalUrl,
    ...stateFields(delivery.state, delivery.attempts.at(-1)?.at ?? delivery.createdAt),
    attempt_count: delivery.attemptCount,
    round_start: delivery.roundStart,
    attempts: delivery.attempts.map(toAttemptDocument),
    resends: delivery.resends.map(toResendDocument),
    last_result: resultOf(delivery.attempts.at(-1)),
    claimed_until: claimedUntil,
    resend_url: null,
    occurred_at: delivery.occurredAt,
    created_at: delivery.createdAt,
  }
}

export function toDelivery(document: DeliveryDocument): Delivery {
  return {
    id: document._id,
    channel: document.channel,
    merchantId: document.merchant_id,
    orderId: document.order_id,
    transactionId: document.transaction_id,
    sequence: document.sequence,
    correlationId: document.correlation_id,
    body: document.body,
    url: document.url ?? null,
    originalUrl: document.original_url ?? null,
    state: toState(document),
    attemptCount: document.attempt_count,
    roundStart: document.round_start,
    attempts: document.attempts.map(toAttempt),
    resends: document.resends.map(toResend),
    occurredAt: document.occurred_at,
    createdAt: document.created_at,
  }
}

/** The fields of a state; `at` is when the delivery entered it. */
export function stateFields(
  state: DeliveryState,
  at: Date,
): Pick<DeliveryDocument, 'status' | 'next_attempt_at' | 'dead_reason' | 'finished_at'> {
  switch (state.status) {
    case 'retrying':
      return { status: 'retrying', next_attempt_at: state.nextAttemptAt, dead_reason: null, finished_at: null }
    case 'delivered':
      return { status: 'delivered', next_attempt_at: null, dead_reason: null, finished_at: at }
    case 'dead':
      return { status: 'dead', next_attempt_at: null, dead_reason: state.reason, finished_at: at }
    default:
      return assertNever(state)
  }
}

/** One more attempt, as an update: appended, and the oldest dropped when there are too many. */
export function attemptUpdate(attempt: Attempt) {
  return {
    $set: { last_result: resultOf(attempt) },
    $push: { attempts: { $each: [toAttemptDocument(attempt)], $slice: -MAX_ATTEMPTS_KEPT } },
  }
}

/** One more resend, as an update. */
export function resendUpdate(resend: Resend) {
  return { resends: { $each: [toResendDocument(resend)], $slice: -MAX_RESENDS_KEPT } }
}

function toResendDocument({ at, url, attemptCount, deadReason }: Resend): ResendDocument {
  return { at, url, attempt_count: attemptCount, dead_reason: deadReason }
}

function toResend({ at, url, attempt_count, dead_reason }: ResendDocument): Resend {
  return { at, url: url ?? null, attemptCount: attempt_count, deadReason: dead_reason ?? null }
}

function resultOf(attempt: Attempt | undefined): string | null {
  if (!attempt) return null
  return attempt.error ?? String(attempt.statusCode)
}

function toAttemptDocument(attempt: Attempt): AttemptDocument {
  return {
    number: attempt.number,
    at: attempt.at,
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: attempt.error,
    address: attempt.address,
    response_excerpt: attempt.responseExcerpt,
  }
}

function toAttempt(document: AttemptDocument): Attempt {
  return {
    number: document.number,
    at: document.at,
    durationMs: document.duration_ms,
    statusCode: document.status_code ?? null,
    error: document.error ?? null,
    address: document.address ?? null,
    responseExcerpt: document.response_excerpt ?? null,
  }
}

function toState({ _id, status, next_attempt_at, dead_reason }: DeliveryDocument): DeliveryState {
  if (status === 'delivered') return { status }
  if (status === 'retrying' && next_attempt_at) return { status, nextAttemptAt: next_attempt_at }
  if (status === 'dead' && dead_reason) return { status, reason: dead_reason }
  throw new Fault(`delivery ${_id} is ${status} without the fields of that status`)
}
