import { assertNever, type FailureReason } from '@gateway/contracts'
import { settle } from './decide.ts'
import type { BankPage, Payment } from './payment.ts'

/** The only right one-time password in the sandbox. */
export const SANDBOX_OTP = '123456'
/** The last allowed wrong password declines the payment. */
export const MAX_WRONG_OTPS = 3
/** How often a new password can be requested. */
export const MAX_RESENDS = 3

/** An action of the shopper on the page of an issuer or a bank. */
export type PageAction =
  | { readonly kind: 'otp'; readonly otp: string }
  | { readonly kind: 'resend' }
  | { readonly kind: 'success' }
  | { readonly kind: 'failure' }
  | { readonly kind: 'cancel' }

/** One of the gateway's failure reasons, so that the merchant receives it unchanged. */
const CANCELLED: FailureReason = 'cancelled'

/** The page while the shopper can decide; `undefined` after the decision or the page's expiry. */
export function openPageOf({ page, outcome }: Payment, now: Date): BankPage | undefined {
  return page && outcome === 'pending' && now < page.expiresAt ? page : undefined
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
  if (otp === SANDBOX_OTP && !page.refusesOtp) return settle(payment, 'success', now)
  const wrongOtps = page.wrongOtps + 1
  const counted: Payment = { ...payment, page: { ...page, wrongOtps, notice: 'wrong_otp' } }
  return wrongOtps < MAX_WRONG_OTPS ? counted : settle(counted, 'failed', now, 'wrong one-time password, three times')
}

/** The new password is the same, and the page's expiry does not change. */
function resendOtp(payment: Payment, page: BankPage): Payment {
  if (page.resends >= MAX_RESENDS) return payment
  return { ...payment, page: { ...page, resends: page.resends + 1, notice: 'resent' } }
}
