import { assertNever, type FailureReason } from '@gateway/contracts'
import { settle } from './decide.ts'
import type { BankPage, Payment } from './payment.ts'

/** The one-time password that every card of the sandbox takes; every other is wrong. */
export const SANDBOX_OTP = '123456'
/** The last wrong one declines the payment. */
export const MAX_WRONG_OTPS = 3
/** How often a new one can be asked for. */
export const MAX_RESENDS = 3

/** What a shopper does on the page of an issuer or a bank. */
export type PageAction =
  | { readonly kind: 'otp'; readonly otp: string }
  | { readonly kind: 'resend' }
  | { readonly kind: 'success' }
  | { readonly kind: 'failure' }
  | { readonly kind: 'cancel' }

/** A word of the gateway's own list of reasons, so that the merchant is told it. */
const CANCELLED: FailureReason = 'cancelled'

/** The page while its shopper may still decide; `undefined` once it is decided, or its time is over. */
export function openPageOf({ page, outcome }: Payment, now: Date): BankPage | undefined {
  return page && outcome === 'pending' && now < page.expiresAt ? page : undefined
}

/** On a page that is not open nothing changes, nor by what its kind of page does not offer: nobody gets by the password. */
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
  if (otp === SANDBOX_OTP && !page.refusesOtp) return settle(payment, 'success', now)
  const wrongOtps = page.wrongOtps + 1
  const counted: Payment = { ...payment, page: { ...page, wrongOtps, notice: 'wrong_otp' } }
  return wrongOtps < MAX_WRONG_OTPS ? counted : settle(counted, 'failed', now, 'wrong one-time password, three times')
}

/** In the sandbox the new one is the old one. The page stays open no longer for it. */
function resendOtp(payment: Payment, page: BankPage): Payment {
  if (page.resends >= MAX_RESENDS) return payment
  return { ...payment, page: { ...page, resends: page.resends + 1, notice: 'resent' } }
}
