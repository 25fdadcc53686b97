import { assertNever } from '@gateway/contracts'
import type { Attempt, Delivery, DeliveryState } from '../domain/delivery.ts'
import type { AttemptDocument, DeliveryDocument } from './delivery-model.ts'

/** `claimed_until` of a delivery that nobody has claimed. */
export const UNCLAIMED = new Date(0)

export function toDocument(delivery: Delivery, claimedUntil: Date): DeliveryDocument {
  return {
    _id: delivery.id,
    merchant_id: delivery.merchantId,
    order_id: delivery.orderId,
    transaction_id: delivery.transactionId,
    sequence: delivery.sequence,
    correlation_id: delivery.correlationId,
    body: delivery.body,
    url: delivery.url,
    original_url: delivery.originalUrl,
    ...stateFields(delivery.state),
    attempt_count: delivery.attemptCount,
    round_start: delivery.roundStart,
    attempts: delivery.attempts.map(toAttemptDocument),
    claimed_until: claimedUntil,
    resend_url: null,
    created_at: delivery.createdAt,
  }
}

export function toDelivery(document: DeliveryDocument): Delivery {
  return {
    id: document._id,
    merchantId: document.merchant_id,
    orderId: document.order_id,
    transactionId: document.transaction_id,
    sequence: document.sequence,
    correlationId: document.correlation_id,
    body: document.body,
    url: document.url,
    originalUrl: document.original_url,
    state: toState(document),
    attemptCount: document.attempt_count,
    roundStart: document.round_start,
    attempts: document.attempts.map(toAttempt),
    createdAt: document.created_at,
  }
}

export function stateFields(state: DeliveryState): Pick<DeliveryDocument, 'status' | 'next_attempt_at' | 'dead_reason'> {
  switch (state.status) {
    case 'retrying':
      return { status: 'retrying', next_attempt_at: state.nextAttemptAt, dead_reason: null }
    case 'delivered':
      return { status: 'delivered', next_attempt_at: null, dead_reason: null }
    case 'dead':
      return { status: 'dead', next_attempt_at: null, dead_reason: state.reason }
    default:
      return assertNever(state)
  }
}

export function toAttemptDocument(attempt: Attempt): AttemptDocument {
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
    statusCode: document.status_code,
    error: document.error,
    address: document.address ?? null,
    responseExcerpt: document.response_excerpt,
  }
}

function toState({ _id, status, next_attempt_at, dead_reason }: DeliveryDocument): DeliveryState {
  if (status === 'delivered') return { status }
  if (status === 'retrying' && next_attempt_at) return { status, nextAttemptAt: next_attempt_at }
  if (status === 'dead' && dead_reason) return { status, reason: dead_reason }
  throw new Error(`delivery ${_id} is ${status} without what belongs to it`)
}
