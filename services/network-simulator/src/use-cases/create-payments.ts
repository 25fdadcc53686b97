import { paiseOf, type StartPayment } from '@gateway/contracts'
import type { CardOrBank, Instrument } from '../domain/instrument-of.ts'
import type { InstrumentBehaviour } from '../domain/instruments.ts'
import type { BankPage, Payment, Start } from '../domain/payment.ts'
import { planFor, planForInstrument, type PlanInput } from '../domain/plan.ts'
import { upiBehaviour } from '../domain/upi-scenarios.ts'
import { makePayment, payerOf, type NewIds } from './make-payment.ts'

interface CreateOptions {
  readonly now: Date
  readonly newIds: NewIds
  /** How long a page can be used, in milliseconds, unless its instrument says otherwise. */
  readonly pageTimeoutMs: number
}

/** The payments of a start: one, or for a UPI collect those of the VPA's scenario. */
export function createPayments(
  request: StartPayment,
  start: Start,
  instrument: Exclude<Instrument, CardOrBank> | ReachableInstrument,
  options: CreateOptions,
): Payment[] {
  return instrument.method === 'upi'
    ? collects(request, start, instrument.vpa, options)
    : [payment(request, start, instrument, options)]
}

/** A card or a bank whose network is not down. */
export type ReachableInstrument = CardOrBank & { readonly behaviour: Exclude<InstrumentBehaviour, { kind: 'down' }> }

function payment(request: StartPayment, start: Start, instrument: ReachableInstrument, options: CreateOptions): Payment {
  const { now, newIds } = options
  const { method, name, behaviour } = instrument
  const page = pageOf(request, instrument, options)
  const input = { amountPaise: paiseOf(request.amount), expiresAt: page.expiresAt }
  const fields = { tr: request.tr, method, start, instrument: name, page: behaviour.kind === 'page' ? page : null }
  return makePayment(fields, planForInstrument(behaviour, now, input), now, newIds)
}

function pageOf(
  request: StartPayment,
  { method, behaviour }: ReachableInstrument,
  { now, newIds, pageTimeoutMs }: CreateOptions,
): BankPage {
  const { lastsMs = pageTimeoutMs, refusesOtp = false } = behaviour.kind === 'page' ? behaviour : {}
  return {
    kind: method === 'netbanking' ? 'bank' : 'issuer',
    token: newIds.pageToken(),
    returnUrl: request.return_url,
    description: request.description,
    expiresAt: new Date(now.getTime() + lastsMs),
    refusesOtp,
    wrongOtps: 0,
    resends: 0,
    notice: null,
  }
}

function collects(request: StartPayment, start: Start, vpa: string, options: CreateOptions): Payment[] {
  const input = { tr: request.tr, amountPaise: paiseOf(request.amount), expiresAt: null }
  // Only the first capture belongs to the attempt; a second one does not carry its id.
  return upiPayments(vpa, input, options).map((made, index) => (index === 0 ? { ...made, start } : made))
}

/** The payments of a VPA's scenario; the scenario `twice` makes two. */
export function upiPayments(
  vpa: string,
  { tr, ...input }: PlanInput & { readonly tr: string },
  { now, newIds }: Pick<CreateOptions, 'now' | 'newIds'>,
): Payment[] {
  const { scenario, reversal: reversalBehaviour, refund: refundBehaviour } = upiBehaviour(vpa)
  const fields = { tr, method: 'upi', payer: payerOf(vpa), reversalBehaviour, refundBehaviour } as const
  return planFor(scenario, now, input).map((plan) => makePayment(fields, plan, now, newIds))
}
