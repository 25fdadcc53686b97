import {
  assertNever,
  Refused,
  type FailureReason,
  type NetworkOutcome,
  type ReversalReason,
  type ReversalResponse,
} from '@gateway/contracts'
import { callbackOf } from './plan.ts'
import type { BankPage, Payment, Reversal } from './payment.ts'
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
    failure_reason: outcome === 'failed' ? failureReason : null,
    callbacks: [...kept, callbackOf(outcome, now, `${outcome}-resolved`)],
  }
}

export interface RequestedReversal {
  readonly amountPaise: number
  readonly reason: ReversalReason
  /** The number of the reversal, if it is new. */
  readonly rrn: string
}

export interface ReversalDecision {
  readonly response: ReversalResponse
  readonly reversal: Reversal | null
}

/**
 * Decides a request to reverse a payment. A repeated request gets the same answer and reverses once. A request that was
 * refused because of the payment's state can be made again. Throws `idempotency_conflict` for a repeat with another body.
 */
export function decideReversal(payment: Payment, ask: RequestedReversal, now: Date): ReversalDecision {
  const answer = (status: ReversalResponse['status'], reason: string | null, reversal: Reversal | null): ReversalDecision => ({
    response: {
      ...{ reference: payment.reference, status, reason },
      ...(status === 'succeeded' && reversal ? { rrn: reversal.rrn } : {}),
    },
    reversal,
  })
  const refused = (reason: string): ReversalDecision => answer('failed', reason, payment.reversal)

  if (payment.reversal) {
    if (ask.amountPaise !== payment.amount_paise || ask.reason !== payment.reversal.reason)
      throw new Refused('idempotency_conflict', 'This reversal was requested with another body')
    const reversal = reversalAt(payment.reversal, now)
    return answer(reversal.status, null, reversal)
  }
  if (payment.outcome !== 'success') return refused('not_captured')
  if (ask.amountPaise !== payment.amount_paise) return refused('amount_differs')
  if (refundedPaise(payment.refunds, now) > 0) return refused('refunded')
  if (payment.reversal_behaviour === 'refused') return refused('refused_by_bank')
  const isSlow = payment.reversal_behaviour === 'takes_a_while'
  const status = isSlow ? 'pending' : 'succeeded'
  const completesAt = new Date(now.getTime() + (isSlow ? SLOW_REVERSAL_MS : 0))
  return answer(status, null, { reason: ask.reason, status, rrn: ask.rrn, requested_at: now, completes_at: completesAt })
}

/** The reversal at `now`: a pending one succeeds when its time has come. */
export function reversalAt(reversal: Reversal, now: Date): Reversal {
  return reversal.status === 'pending' && reversal.completes_at <= now ? { ...reversal, status: 'succeeded' } : reversal
}

/** The only right one-time password in the sandbox. */
export const SANDBOX_OTP = '123456'
/** The last allowed wrong password declines the payment. */
export const MAX_WRONG_OTPS = 3
/** How often a new password can be requested. */
export const MAX_RESENDS = 3

/** An action of the shopper on the page of an issuer or a bank. */
export type PageAction =
  { readonly kind: 'otp'; readonly otp: string } | { readonly kind: 'resend' | 'success' | 'failure' | 'cancel' }

/** One of the gateway's failure reasons, so that the merchant receives it unchanged. */
const CANCELLED: FailureReason = 'cancelled'

/** The page while the shopper can decide; `undefined` after the decision or the page's expiry. */
export function openPageOf({ page, outcome }: Payment, now: Date): BankPage | undefined {
  return page && outcome === 'pending' && now < page.expires_at ? page : undefined
}

/** Applies an action. A closed page ignores every action, and each kind of page ignores the other kind's actions. */
export function applyAction(payment: Payment, action: PageAction, now: Date): Payment {
  const page = openPageOf(payment, now)
  if (!page) return payment
  switch (action.kind) {
    case 'cancel':
      return settle(payment, 'failed', now, CANCELLED)
    case 'otp':
      return page.kind === 'issuer' ? enterOtp(payment, page, action.otp, now) : payment
    case 'resend':
      return page.kind === 'issuer' ? resendOtp(payment, page) : payment
    case 'success':
      return page.kind === 'bank' ? settle(payment, 'success', now) : payment
    case 'failure':
      return page.kind === 'bank' ? settle(payment, 'failed', now, 'declined by the bank') : payment
    default:
      return assertNever(action)
  }
}

function enterOtp(payment: Payment, page: BankPage, otp: string, now: Date): Payment {
  if (otp === SANDBOX_OTP && !page.refuses_otp) return settle(payment, 'success', now)
  const wrongOtps = page.wrong_otps + 1
  const counted: Payment = { ...payment, page: { ...page, wrong_otps: wrongOtps, notice: 'wrong_otp' } }
  return wrongOtps < MAX_WRONG_OTPS ? counted : settle(counted, 'failed', now, 'wrong one-time password, three times')
}

/** The new password is the same, and the page's expiry does not change. */
function resendOtp(payment: Payment, page: BankPage): Payment {
  if (page.resends >= MAX_RESENDS) return payment
  return { ...payment, page: { ...page, resends: page.resends + 1, notice: 'resent' } }
}
