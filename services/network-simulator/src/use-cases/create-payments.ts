import { randomInt } from 'node:crypto'
import { paiseOf, pooledRandomBytes, type Payer, type StartPayment } from '@gateway/contracts'
import type { PaymentStatus } from '../clients/payment-status.ts'
import { upiBehaviour, type Instrument } from '../domain/instruments.ts'
import type { BankPage, Payment, Start } from '../domain/payment.ts'
import { planFor, planForInstrument, type PaymentPlan, type PlanInput } from '../domain/plan.ts'
import type { Payments } from '../persistence/payments.ts'
import type { CallbackSender } from './send-callbacks.ts'

/** What the use cases work with. */
export interface Tools extends PaymentStatus {
  readonly payments: Payments
  readonly sender: CallbackSender
  readonly newIds: NewIds
  readonly now: () => Date
}

/** Source of random ids. */
export interface NewIds {
  /** The network's id of a payment. */
  reference(): string
  /** Retrieval reference number: 12 digits, as UPI and card networks assign. */
  rrn(): string
  /** Unguessable part of a page's address. */
  pageToken(): string
}

const RRN_DIGITS = 12

/** Random ids from the system's generator. */
export const randomIds: NewIds = {
  reference: () => referenceFrom(pooledRandomBytes(10)),
  rrn: () => String(randomInt(10 ** (RRN_DIGITS - 1), 10 ** RRN_DIGITS)),
  pageToken: () => pooledRandomBytes(24).toString('base64url'),
}

/** `SIM` and twenty characters, never with nine digits in a row, so that no scan takes it for a card number. */
export function referenceFrom(bytes: Buffer): string {
  const digits = bytes.toString('hex').slice(0, 20).toUpperCase()
  return `SIM${digits.replaceAll(/([0-9]{8})[0-9]/gu, '$1A')}`
}

interface CreateOptions {
  readonly now: Date
  readonly newIds: NewIds
  /** How long a page can be used, in milliseconds, unless its instrument says otherwise. */
  readonly pageTimeoutMs: number
}

/** The payments of a start: one, or for a UPI collect those of the VPA's scenario. */
export function createPayments(request: StartPayment, start: Start, instrument: Instrument, options: CreateOptions): Payment[] {
  const { tr } = request
  const amountPaise = paiseOf(request.amount)
  if (instrument.method === 'upi') {
    const made = upiPayments(instrument.vpa, { tr, amountPaise, expiresAt: null }, options)
    // Only the first capture belongs to the attempt; a second one does not carry its id.
    return made.map((payment, index) => (index === 0 ? { ...payment, start } : payment))
  }
  const { method, name, behaviour } = instrument
  const page = pageOf(request, instrument, options)
  const plan = planForInstrument(behaviour, options.now, { amountPaise, expiresAt: page.expires_at })
  const fields = { tr, method, start, instrument: name, page: behaviour.kind === 'page' ? page : null }
  return [makePayment(fields, plan, options.now, options.newIds)]
}

function pageOf(
  request: StartPayment,
  { method, behaviour }: Exclude<Instrument, { method: 'upi' }>,
  { now, newIds, pageTimeoutMs }: CreateOptions,
): BankPage {
  const { lastsMs = pageTimeoutMs, refusesOtp = false } = behaviour.kind === 'page' ? behaviour : {}
  return {
    kind: method === 'netbanking' ? 'bank' : 'issuer',
    token: newIds.pageToken(),
    return_url: request.return_url,
    description: request.description,
    expires_at: new Date(now.getTime() + lastsMs),
    ...{ refuses_otp: refusesOtp, wrong_otps: 0, resends: 0, notice: null },
  }
}

/** The payments of a VPA's scenario; the scenario `twice` makes two. */
export function upiPayments(
  vpa: string,
  { tr, ...input }: PlanInput & { readonly tr: string },
  { now, newIds }: Pick<CreateOptions, 'now' | 'newIds'>,
): Payment[] {
  const { scenario, reversal: reversal_behaviour, refund: refund_behaviour } = upiBehaviour(vpa)
  const fields = { tr, method: 'upi', payer: payerOf(vpa), reversal_behaviour, refund_behaviour } as const
  return planFor(scenario, now, input).map((plan) => makePayment(fields, plan, now, newIds))
}

/** The sandbox's payer of a VPA, with the name that a bank would report. */
export function payerOf(vpa: string): Payer {
  return { name: 'Asha Sandbox', vpa }
}

type NewPayment = Pick<Payment, 'tr' | 'method'> &
  Partial<Pick<Payment, 'payer' | 'instrument' | 'start' | 'page' | 'reversal_behaviour' | 'refund_behaviour' | 'unclear'>>

/** A new payment that does what its plan says, with new ids. */
export function makePayment(fields: NewPayment, plan: PaymentPlan, now: Date, newIds: NewIds): Payment {
  return {
    ...{ payer: null, instrument: null, start: null, page: null, unclear: null, version: 1 },
    ...({ reversal: null, refunds: [], reversal_behaviour: 'at_once', refund_behaviour: 'at_once' } as const),
    ...fields,
    ...plan,
    ...{ reference: newIds.reference(), rrn: newIds.rrn(), created_at: now },
  }
}
