import { assertNever, type NetworkOutcome, type ReversalReason, type ReversalResponse } from '@gateway/contracts'
import { callbackOf } from './plan.ts'
import type { Payment, Reversal } from './payment.ts'
import { refundedPaise } from './refund.ts'

export const SLOW_REVERSAL_MS = 3000

/** Decides a pending payment: drops the callbacks that would decide it later, and plans a callback with the decision. */
export function settle(
  payment: Payment,
  outcome: Exclude<NetworkOutcome, 'pending'>,
  now: Date,
  failureReason = 'declined',
): Payment {
  const kept = payment.callbacks.filter((callback) => !callback.settles)
  return {
    ...payment,
    outcome,
    failureReason: outcome === 'failed' ? failureReason : null,
    callbacks: [...kept, callbackOf(outcome, now, `${outcome}-resolved`)],
  }
}

export interface RequestedReversal {
  readonly amountPaise: number
  readonly reason: ReversalReason
  /** The number of the reversal, if it is new. */
  readonly rrn: string
}

export type ReversalDecision =
  | { readonly kind: 'conflict' }
  | { readonly kind: 'answer'; readonly response: ReversalResponse; readonly reversal: Reversal | null }

/**
 * Decides a request to reverse a payment. A repeated request gets the same answer and reverses once. A request that was
 * refused because of the payment's state can be made again.
 */
export function decideReversal(payment: Payment, ask: RequestedReversal, now: Date): ReversalDecision {
  const answer = (status: ReversalResponse['status'], reason: string | null, reversal: Reversal | null): ReversalDecision => ({
    kind: 'answer',
    response: {
      ...{ reference: payment.reference, status, reason },
      ...(status === 'succeeded' && reversal ? { rrn: reversal.rrn } : {}),
    },
    reversal,
  })
  const refused = (reason: string): ReversalDecision => answer('failed', reason, payment.reversal)

  if (payment.reversal) {
    if (ask.amountPaise !== payment.amountPaise || ask.reason !== payment.reversal.reason) return { kind: 'conflict' }
    const reversal = reversalAt(payment.reversal, now)
    return answer(reversal.status, null, reversal)
  }
  if (payment.outcome !== 'success') return refused('not_captured')
  if (ask.amountPaise !== payment.amountPaise) return refused('amount_differs')
  if (refundedPaise(payment.refunds, now) > 0) return refused('refunded')
  const begin = (status: Reversal['status'], takesMs: number): Reversal => {
    return { reason: ask.reason, status, rrn: ask.rrn, requestedAt: now, completesAt: new Date(now.getTime() + takesMs) }
  }
  switch (payment.reversalBehaviour) {
    case 'refused':
      return refused('refused_by_bank')
    case 'at_once':
      return answer('succeeded', null, begin('succeeded', 0))
    case 'takes_a_while':
      return answer('pending', null, begin('pending', SLOW_REVERSAL_MS))
    default:
      return assertNever(payment.reversalBehaviour)
  }
}

/** The reversal at `now`: a pending one succeeds when its time has come. */
export function reversalAt(reversal: Reversal, now: Date): Reversal {
  return reversal.status === 'pending' && reversal.completesAt <= now ? { ...reversal, status: 'succeeded' } : reversal
}
