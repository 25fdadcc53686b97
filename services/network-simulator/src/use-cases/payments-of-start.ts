import { parseAmount, type StartPayment } from '@gateway/contracts'
import type { CardOrBank, Instrument } from '../domain/instrument-of.ts'
import type { InstrumentBehaviour } from '../domain/instruments.ts'
import type { BankPage, Payment, Start } from '../domain/payment.ts'
import { planFor, planForInstrument } from '../domain/plan.ts'
import { upiBehaviour } from '../domain/upi-scenarios.ts'
import { makePayment, payerOf, type NewIds } from './make-payment.ts'

interface Making {
  readonly now: Date
  readonly newIds: NewIds
  /** How long a page can be used whose instrument does not say. */
  readonly pageTimeoutMs: number
}

/** The payments that a start makes: one, or what the VPA of a UPI collect asks for. */
export function paymentsOfStart(
  request: StartPayment,
  start: Start,
  instrument: Exclude<Instrument, CardOrBank> | Answering,
  making: Making,
): Payment[] {
  return instrument.method === 'upi'
    ? collects(request, start, instrument.vpa, making)
    : [payment(request, start, instrument, making)]
}

/** A card or a bank whose network is there. */
export type Answering = CardOrBank & { readonly behaviour: Exclude<InstrumentBehaviour, { kind: 'down' }> }

function payment(request: StartPayment, start: Start, instrument: Answering, making: Making): Payment {
  const { now, newIds } = making
  const { method, name, behaviour } = instrument
  const page = pageOf(request, instrument, making)
  const intended = { amountPaise: parseAmount(request.amount) ?? 0, expiresAt: page.expiresAt }
  const facts = { tr: request.tr, method, start, instrument: name, ...(behaviour.kind === 'page' ? { page } : {}) }
  return makePayment(facts, planForInstrument(behaviour, now, intended), now, newIds)
}

function pageOf(request: StartPayment, { method, behaviour }: Answering, { now, newIds, pageTimeoutMs }: Making): BankPage {
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

function collects(request: StartPayment, start: Start, vpa: string, { now, newIds }: Making): Payment[] {
  const { scenario, reversal } = upiBehaviour(vpa)
  const facts = { tr: request.tr, method: 'upi', payer: payerOf(vpa), reversalBehaviour: reversal } as const
  const intended = { amountPaise: parseAmount(request.amount) ?? 0, expiresAt: null }
  // A second capture of the same attempt is not what the attempt started, so only the first carries its id.
  return planFor(scenario, now, intended).map((plan, index) =>
    makePayment({ ...facts, ...(index === 0 ? { start } : {}) }, plan, now, newIds),
  )
}
