import { Refused, type RefundStatus } from '@gateway/contracts'
import type { Payment, ScheduledCallback } from './payment.ts'
import { callbackOf, copiesOf } from './plan.ts'
import {
  behaviourOfPaise,
  REFUND_COURSES,
  REFUND_PAUSE_MS,
  refundAt,
  refundedPaise,
  type Refund,
  type RefundCourse,
  type RefundFailure,
  type RequestedRefund,
} from './refund.ts'

/** A payment can be refunded for this long; the capabilities announce it. */
export const REFUND_WINDOW_DAYS = 180
/** Refunds of one payment at most, refused ones included. The gateway asks for twenty at most. */
const MAX_STORED = 100
const DAY_MS = 24 * 60 * 60 * 1000

export interface RefundDecision {
  /** Contains the refund; for a repeat it is the unchanged object. */
  readonly payment: Payment
  readonly refund: Refund
  /** True: this answer must not arrive. */
  readonly isLost: boolean
}

/**
 * Decides a request to refund a part of a payment. A repeat gets the refund's current state. A refusal is also stored: the gateway may
 * then refund the money under another id, so a refused id must never succeed later. Throws `Refused`: `idempotency_conflict` when
 * another request used the id before, `too_many_refunds`.
 */
export function decideRefund(payment: Payment, request: RequestedRefund, rrn: string, now: Date): RefundDecision {
  const { refunds } = payment
  const known = refunds.find(({ id }) => id === request.id)
  if (known) {
    if (known.amount_paise !== request.amount_paise || known.reason !== request.reason) throw refundConflict()
    return { payment, refund: refundAt(known, now), isLost: false }
  }
  if (refunds.length >= MAX_STORED) throw new Refused('too_many_refunds', 'The payment has as many refunds as it can have')
  const failure = whyRefused(payment, request, now)
  const wanted = payment.method === 'upi' ? payment.refund_behaviour : behaviourOfPaise(request.amount_paise)
  const behaviour = failure ? 'refused' : wanted
  const course: RefundCourse = REFUND_COURSES[behaviour]
  const refund: Refund = {
    ...request,
    status: course.status,
    pending_reason: course.pendingReason ?? null,
    failure: course.status === 'failed' ? (failure ?? 'account_closed') : null,
    rrn,
    requested_at: now,
    next: course.next ? { status: course.next, at: new Date(now.getTime() + REFUND_PAUSE_MS) } : null,
  }
  const callbacks = [...payment.callbacks, ...callbacksOf(refund, course)]
  return { payment: { ...payment, refunds: [...refunds, refund], callbacks }, refund, isLost: behaviour === 'lost' }
}

/** The refund's id is its idempotency key. */
export function refundConflict(): Refused {
  return new Refused('idempotency_conflict', 'This refund_id was used with another body')
}

/** A tester ends a pending refund. Returns the same payment when the refund is unknown or has ended. */
export function resolveRefund(payment: Payment, id: string, outcome: 'succeeded' | 'failed', now: Date): Payment {
  const found = payment.refunds.find((refund) => refund.id === id)
  if (!found || refundAt(found, now).status !== 'pending') return payment
  const failure = outcome === 'failed' ? 'declined_by_the_tester' : null
  const refund: Refund = { ...found, status: outcome, pending_reason: null, failure, next: null }
  // A success that was planned for later must not be reported after a refusal.
  const kept = payment.callbacks.filter((callback) => callback.refund?.id !== id || callback.state !== 'scheduled')
  return {
    ...payment,
    refunds: payment.refunds.map((other) => (other.id === id ? refund : other)),
    callbacks: [...kept, refundCallback(refund, outcome, now)],
  }
}

function whyRefused(payment: Payment, { amount_paise }: RequestedRefund, now: Date): RefundFailure | undefined {
  if (payment.outcome !== 'success') return 'not_captured'
  if (payment.reversal) return 'already_reversed'
  if (now.getTime() > payment.created_at.getTime() + REFUND_WINDOW_DAYS * DAY_MS) return 'window_closed'
  return refundedPaise(payment.refunds, now) + amount_paise > payment.amount_paise ? 'exceeds_capture' : undefined
}

/** Callbacks about the first status, unless it is pending, and about the status that follows by itself. */
function callbacksOf(refund: Refund, { reports }: RefundCourse): ScheduledCallback[] {
  if (reports === 0) return []
  const first = refund.status === 'pending' ? [] : [refundCallback(refund, refund.status, refund.requested_at)]
  const after = first[0]?.id ?? null
  const next = refund.next ? [{ ...refundCallback(refund, refund.next.status, refund.next.at), after }] : []
  return [...first, ...next].flatMap((callback) => (reports > 1 ? copiesOf(callback) : [callback]))
}

function refundCallback({ id }: Refund, status: RefundStatus, dueAt: Date): ScheduledCallback {
  return { ...callbackOf('success', dueAt, `${id}-${status}`), refund: { id, status } }
}
