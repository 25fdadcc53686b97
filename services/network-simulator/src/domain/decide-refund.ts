import type { RefundStatus } from '@gateway/contracts'
import type { Payment } from './payment.ts'
import { callbackOf, copiesOf } from './plan.ts'
import {
  behaviourOfPaise,
  REFUND_COURSES,
  REFUND_PAUSE_MS,
  type RefundBehaviour,
  type RefundCourse,
} from './refund-behaviours.ts'
import { isSameRefund, refundAt, refundedPaise, type Refund, type RefundFailure, type RequestedRefund } from './refund.ts'
import type { ScheduledCallback } from './scheduled-callback.ts'

/** A payment can be refunded for this long; the capabilities announce it. */
export const REFUND_WINDOW_DAYS = 180
/** Refunds of one payment at most, refused ones included. The gateway asks for twenty at most. */
const MAX_STORED = 100
const DAY_MS = 24 * 60 * 60 * 1000

export type RefundDecision =
  /** Another request used this id before. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'too_many' }
  /** `payment` contains the refund; for a repeat it is the unchanged object. `isLost`: this answer must not arrive. */
  | { readonly kind: 'refund'; readonly payment: Payment; readonly refund: Refund; readonly isLost: boolean }

/**
 * Decides a request to refund a part of a payment. A repeat gets the refund's current state. A refusal is also stored: the gateway may
 * then refund the money under another id, so a refused id must never succeed later.
 */
export function decideRefund(payment: Payment, request: RequestedRefund, rrn: string, now: Date): RefundDecision {
  const { refunds } = payment
  const known = refunds.find(({ id }) => id === request.id)
  if (known) {
    if (!isSameRefund(known, request)) return { kind: 'conflict' }
    return { kind: 'refund', payment, refund: refundAt(known, now), isLost: false }
  }
  if (refunds.length >= MAX_STORED) return { kind: 'too_many' }
  const failure = whyRefused(payment, request, now)
  const behaviour = failure ? 'refused' : behaviourOf(payment, request)
  const course = REFUND_COURSES[behaviour]
  const refund: Refund = {
    ...request,
    status: course.status,
    pendingReason: course.pendingReason ?? null,
    failure: course.status === 'failed' ? (failure ?? 'account_closed') : null,
    rrn,
    requestedAt: now,
    next: course.next ? { status: course.next, at: new Date(now.getTime() + REFUND_PAUSE_MS) } : null,
  }
  const callbacks = [...payment.callbacks, ...callbacksOf(refund, course)]
  return {
    kind: 'refund',
    payment: { ...payment, refunds: [...refunds, refund], callbacks },
    refund,
    isLost: behaviour === 'lost',
  }
}

/** A tester ends a pending refund. Returns the same payment when the refund is unknown or has ended. */
export function resolveRefund(payment: Payment, id: string, outcome: 'succeeded' | 'failed', now: Date): Payment {
  const found = payment.refunds.find((refund) => refund.id === id)
  if (!found || refundAt(found, now).status !== 'pending') return payment
  const failure = outcome === 'failed' ? 'declined_by_the_tester' : null
  const refund: Refund = { ...found, status: outcome, pendingReason: null, failure, next: null }
  // A success that was planned for later must not be reported after a refusal.
  const kept = payment.callbacks.filter((callback) => callback.refund?.id !== id || callback.state !== 'scheduled')
  return {
    ...payment,
    refunds: payment.refunds.map((other) => (other.id === id ? refund : other)),
    callbacks: [...kept, refundCallback(refund, outcome, now)],
  }
}

function whyRefused(payment: Payment, { amountPaise }: RequestedRefund, now: Date): RefundFailure | undefined {
  if (payment.outcome !== 'success') return 'not_captured'
  if (payment.reversal) return 'already_reversed'
  if (now.getTime() > payment.createdAt.getTime() + REFUND_WINDOW_DAYS * DAY_MS) return 'window_closed'
  return refundedPaise(payment.refunds, now) + amountPaise > payment.amountPaise ? 'exceeds_capture' : undefined
}

function behaviourOf({ method, refundBehaviour }: Payment, { amountPaise }: RequestedRefund): RefundBehaviour {
  return method === 'upi' ? refundBehaviour : behaviourOfPaise(amountPaise)
}

/** Callbacks about the first status, unless it is pending, and about the status that follows by itself. */
function callbacksOf(refund: Refund, { reports }: RefundCourse): ScheduledCallback[] {
  if (reports === 0) return []
  const first = refund.status === 'pending' ? [] : [refundCallback(refund, refund.status, refund.requestedAt)]
  const after = first[0]?.id ?? null
  const next = refund.next ? [{ ...refundCallback(refund, refund.next.status, refund.next.at), after }] : []
  return [...first, ...next].flatMap((callback) => (reports > 1 ? copiesOf(callback) : [callback]))
}

function refundCallback({ id }: Refund, status: RefundStatus, dueAt: Date): ScheduledCallback {
  return { ...callbackOf('success', dueAt, `${id}-${status}`), refund: { id, status } }
}
