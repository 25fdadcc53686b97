import { createHash } from 'node:crypto'
import { parseAmount, Refused, ValidationFailed, type StartPayment, type StartPaymentResponse } from '@gateway/contracts'
import { bankBehaviour, cardBehaviour, describeCard, upiBehaviour, type InstrumentBehaviour } from '../domain/instruments.ts'
import type { Payment, Start } from '../domain/payment.ts'
import { planFor, planForInstrument } from '../domain/plan.ts'
import type { Payments } from '../persistence/payments.ts'
import { makePayment, payerOf, type NewIds } from './make-payment.ts'
import type { CallbackSender } from './send-callbacks.ts'

export type BeginPayment = (request: StartPayment) => Promise<StartPaymentResponse>

interface Dependencies {
  readonly payments: Payments
  readonly sender: CallbackSender
  readonly newIds: NewIds
  readonly now: () => Date
  /** Where the bank's pages are. */
  readonly publicUrl: string
}

/** Starts one payment per attempt: the same request again gets the same answer, another one a conflict. */
export function makeBeginPayment({ payments, sender, newIds, now, publicUrl }: Dependencies): BeginPayment {
  return async (request) => {
    const start = { attemptId: request.attempt_id, fingerprint: fingerprintOf(request) }
    const known = await payments.findByAttempt(request.attempt_id)
    if (known) return answerOf(sameStart(known, start), publicUrl)

    const made = paymentsOf(request, start, now(), { ...newIds, reference: referencesOf(request.attempt_id, newIds) })
    if (await payments.insert(made)) {
      sender.sendSoon(made)
      return answerOf(first(made), publicUrl)
    }
    const faster = await payments.findByAttempt(request.attempt_id)
    if (!faster) throw new Error('an attempt is there and cannot be found')
    return answerOf(sameStart(faster, start), publicUrl)
  }
}

function paymentsOf(request: StartPayment, start: Start, now: Date, newIds: NewIds): Payment[] {
  const amountPaise = parseAmount(request.amount) ?? 0
  const facts = { tr: request.tr, method: request.method }
  if (request.method === 'upi') {
    const { vpa } = required(request.upi, '/upi')
    const { scenario, reversal } = upiBehaviour(vpa)
    const plans = planFor(scenario, now, { amountPaise, expiresAt: null })
    // A second capture of the same attempt is not what the attempt started, so only the first carries its id.
    return plans.map((plan, index) =>
      makePayment(
        { ...facts, payer: payerOf(vpa), reversalBehaviour: reversal, ...(index === 0 ? { start } : {}) },
        plan,
        now,
        newIds,
      ),
    )
  }
  const { behaviour, instrument } = instrumentOf(request)
  const page = { token: newIds.pageToken(), returnUrl: request.return_url, description: request.description }
  const plan = planForInstrument(behaviour, now, amountPaise)
  return [makePayment({ ...facts, start, instrument, ...(behaviour.kind === 'page' ? { page } : {}) }, plan, now, newIds)]
}

function instrumentOf(request: StartPayment): { behaviour: InstrumentBehaviour; instrument: string } {
  if (request.method === 'netbanking') {
    const { bank } = required(request.netbanking, '/netbanking')
    return { behaviour: bankBehaviour(bank), instrument: bank }
  }
  const { number } = required(request.card, '/card')
  return { behaviour: cardBehaviour(number), instrument: describeCard(number) }
}

/** A collect request is answered later; a card or a bank may say no, or yes, at once. */
function answerOf(payment: Payment, publicUrl: string): StartPaymentResponse {
  const decidedAtOnce = payment.method !== 'upi' && payment.page === null
  return {
    reference: payment.reference,
    status: decidedAtOnce ? payment.outcome : 'pending',
    redirect_url: payment.page ? `${publicUrl}/bank/${payment.page.token}` : null,
    reason: decidedAtOnce && payment.outcome === 'failed' ? payment.failureReason : null,
  }
}

/**
 * The first payment's reference follows from its attempt, so that starts at once meet at the primary key, where the slower one
 * waits and is refused. At the index of attempts alone they can wait for each other, for seconds, in some databases.
 */
function referencesOf(attemptId: string, newIds: NewIds): NewIds['reference'] {
  const references = [`SIM${createHash('sha256').update(attemptId).digest('hex').slice(0, 20).toUpperCase()}`]
  return () => references.pop() ?? newIds.reference()
}

function sameStart(payment: Payment, start: Start): Payment {
  if (payment.start?.fingerprint === start.fingerprint) return payment
  throw new Refused('idempotency_conflict', 'This idempotency key was used with another body')
}

/** Of everything but the card's number, CVV and holder, which may not be kept, not even hashed. */
function fingerprintOf({ card, ...rest }: StartPayment): string {
  const kept = card && { last4: card.number.slice(-4), expires: `${card.expiry_year}-${card.expiry_month}` }
  const fields = Object.entries({ ...rest, card: kept }).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url')
}

function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new ValidationFailed([{ field, message: 'is required for this method' }])
  return value
}

function first(made: readonly Payment[]): Payment {
  const [payment] = made
  if (!payment) throw new Error('a start made no payment')
  return payment
}
