import type { NetworkOutcome, NetworkReport, Payer, PaymentMethod, ReversalReason, ReversalStatus } from '@gateway/contracts'
import { formatPaise } from '@gateway/contracts'
import type { ScheduledCallback } from './callback.ts'
import type { ReversalBehaviour } from './upi-scenarios.ts'

/** One payment as a bank, an issuer or a UPI app knows it. One capture has one reference. */
export interface Payment {
  readonly reference: string
  readonly tr: string
  readonly method: PaymentMethod
  readonly amountPaise: number
  /** What an enquiry says now. */
  readonly outcome: NetworkOutcome
  /** Why it failed, or will be said to have failed. */
  readonly failureReason: string | null
  /** Shown from the success on. */
  readonly rrn: string
  readonly payer: Payer | null
  /** Never a full card number: the last four digits and the network, or the bank's code. */
  readonly instrument: string | null
  /** Set for payments that were started by the gateway. */
  readonly start: Start | null
  /** Set when the shopper decides on a page; it stays, so that who comes back to the page is told how it ended. */
  readonly page: BankPage | null
  readonly reversalBehaviour: ReversalBehaviour
  readonly reversal: Reversal | null
  /** In the order of their options; what is done stays, so that a tester can see it. */
  readonly callbacks: readonly ScheduledCallback[]
  /** Set when the network does not say at first how the payment stands. */
  readonly unclear?: UnclearEnquiries
  /** Counts writes; a save is guarded by it. */
  readonly version: number
  readonly createdAt: Date
}

export interface Start {
  readonly attemptId: string
  /** Tells whether a repeated start is the same request. Made without card number and CVV. */
  readonly fingerprint: string
}

export const PAGE_KINDS = ['issuer', 'bank'] as const
export const PAGE_NOTICES = ['wrong_otp', 'resent'] as const

/** The page of an issuer, which asks for a one-time password, or of a bank, where the shopper chooses how it ends. */
export interface BankPage {
  readonly kind: (typeof PAGE_KINDS)[number]
  /** Makes its address unguessable. */
  readonly token: string
  readonly returnUrl: string
  readonly description: string
  /** From then on nobody can decide there, and the payment is reported as failed. */
  readonly expiresAt: Date
  readonly refusesOtp: boolean
  readonly wrongOtps: number
  readonly resends: number
  /** What the shopper did last, and is told of. */
  readonly notice: (typeof PAGE_NOTICES)[number] | null
}

export interface Reversal {
  readonly reason: ReversalReason
  readonly status: ReversalStatus
  readonly requestedAt: Date
  /** When a pending reversal is through. */
  readonly completesAt: Date
}

/** Enquiries that get no answer: the next `left`, and all before `until`. */
export interface UnclearEnquiries {
  readonly left: number
  readonly until: Date
}

/** True when an enquiry about this payment gets no answer now. */
export function isUnclear({ unclear }: Payment, now: Date): boolean {
  return unclear !== undefined && (unclear.left > 0 || now < unclear.until)
}

/** The payment after an enquiry that got no answer. */
export function countUnclear(payment: Payment): Payment {
  const { unclear } = payment
  return unclear && unclear.left > 0 ? { ...payment, unclear: { ...unclear, left: unclear.left - 1 } } : payment
}

/** The payment as the contract tells it: in an enquiry with its present outcome, in a callback with the callback's own. */
export function reportOf(payment: Payment, outcome: NetworkOutcome = payment.outcome): NetworkReport {
  return {
    reference: payment.reference,
    tr: payment.tr,
    ...(payment.start ? { attempt_id: payment.start.attemptId } : {}),
    outcome,
    amount: formatPaise(payment.amountPaise),
    ...(outcome === 'success' ? { rrn: payment.rrn } : {}),
    method: payment.method,
    ...(payment.payer ? { payer: { ...payment.payer } } : {}),
    ...(outcome === 'failed' && payment.failureReason !== null ? { reason: payment.failureReason } : {}),
  }
}
