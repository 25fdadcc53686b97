import type { Payer } from '@gateway/contracts'
import type { Payment } from '../domain/payment.ts'
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

export type NewPayment = Pick<Payment, 'tr' | 'method'> &
  Partial<Pick<Payment, 'payer' | 'instrument' | 'start' | 'page' | 'reversalBehaviour' | 'refundBehaviour' | 'unclear'>>

/** What most payments have in common. */
const USUAL = {
  payer: null,
  instrument: null,
  start: null,
  page: null,
  reversalBehaviour: 'at_once',
  reversal: null,
  refundBehaviour: 'at_once',
  refunds: [],
  unclear: null,
  version: 1,
} as const

/** A new payment that does what its plan says, with new ids. */
export function makePayment(fields: NewPayment, plan: PaymentPlan, now: Date, newIds: NewIds): Payment {
  return { ...USUAL, ...fields, ...plan, reference: newIds.reference(), rrn: newIds.rrn(), createdAt: now }
}

/** The sandbox's payer of a VPA, with the name that a bank would report. */
export function payerOf(vpa: string): Payer {
  return { name: 'Asha Sandbox', vpa }
}
