import type { Payer, PaymentMethod } from '@gateway/contracts'
import type { RefundBehaviour } from '../domain/refund-behaviours.ts'
import type { ReversalBehaviour } from '../domain/upi-scenarios.ts'
import type { BankPage, Payment, Start, UnclearEnquiries } from '../domain/payment.ts'
import type { PaymentPlan } from '../domain/plan.ts'

/** Source of random ids. */
export interface NewIds {
  /** The network's id of a payment. */
  reference(): string
  /** Retrieval reference number: 12 digits, as UPI and card networks assign. */
  rrn(): string
  /** Unguessable part of a page's address. */
  pageToken(): string
}

export interface PaymentFacts {
  readonly tr: string
  readonly method: PaymentMethod
  readonly payer?: Payer
  readonly instrument?: string
  readonly start?: Start
  readonly page?: BankPage
  readonly reversalBehaviour?: ReversalBehaviour
  readonly refundBehaviour?: RefundBehaviour
  readonly unclear?: UnclearEnquiries
}

/** A new payment from its facts and its plan, with new ids. */
export function makePayment(facts: PaymentFacts, plan: PaymentPlan, now: Date, newIds: NewIds): Payment {
  return {
    reference: newIds.reference(),
    tr: facts.tr,
    method: facts.method,
    amountPaise: plan.amountPaise,
    outcome: plan.outcome,
    failureReason: plan.failureReason,
    rrn: newIds.rrn(),
    payer: facts.payer ?? null,
    instrument: facts.instrument ?? null,
    start: facts.start ?? null,
    page: facts.page ?? null,
    reversalBehaviour: facts.reversalBehaviour ?? 'at_once',
    reversal: null,
    ...(facts.refundBehaviour && facts.refundBehaviour !== 'at_once' ? { refundBehaviour: facts.refundBehaviour } : {}),
    callbacks: plan.callbacks,
    ...(facts.unclear ? { unclear: facts.unclear } : {}),
    version: 1,
    createdAt: now,
  }
}

/** The sandbox's payer of a VPA, with the name that a bank would report. */
export function payerOf(vpa: string): Payer {
  return { name: 'Asha Sandbox', vpa }
}
