import { hash } from 'node:crypto'
import { Fault, Refused, type StartPayment, type StartPaymentResponse } from '@gateway/contracts'
import { instrumentOf } from '../domain/instruments.ts'
import type { Payment, Start } from '../domain/payment.ts'
import { createPayments, referenceFrom, type NewIds, type Tools } from './create-payments.ts'

/**
 * Starts one payment per attempt. A repeat of the request gets the same answer. Resolves to `silent` or `cut` when the network does
 * not answer, or cuts the connection: the caller cannot know whether a payment started. Throws `idempotency_conflict` for another
 * request, and `network_unavailable` for an instrument whose network answers that it is down.
 */
export type BeginPayment = (request: StartPayment) => Promise<StartPaymentResponse | 'silent' | 'cut'>

interface Dependencies extends Tools {
  /** Base address of the pages of banks and issuers. */
  readonly publicUrl: string
  /** How long such a page can be used, in milliseconds. */
  readonly pageTimeoutMs: number
}

export function makeBeginPayment({ payments, sender, newIds, now, publicUrl, pageTimeoutMs }: Dependencies): BeginPayment {
  return async (request) => {
    const start = { attempt_id: request.attempt_id, fingerprint: fingerprintOf(request) }
    const known = await payments.findByAttempt(request.attempt_id)
    if (known) return answerOf(sameStart(known, start), publicUrl)

    const instrument = instrumentOf(request)
    if (instrument === 'silent') return 'silent'
    const ids = { ...newIds, reference: referencesOf(request.attempt_id, newIds) }
    const made = createPayments(request, start, instrument, { now: now(), newIds: ids, pageTimeoutMs })
    const [first] = made
    if (!first) throw new Fault('a start made no payment')
    if (await sender.insertAndSend(made)) {
      const isCut = instrument.method !== 'upi' && instrument.behaviour.kind === 'page' && instrument.behaviour.losesFirstAnswer
      return isCut === true ? 'cut' : answerOf(first, publicUrl)
    }
    const earlier = await payments.findByAttempt(request.attempt_id)
    if (!earlier) throw new Fault('the attempt was refused as a duplicate, but cannot be found')
    return answerOf(sameStart(earlier, start), publicUrl)
  }
}

/** A UPI collect is answered as pending; a card or a bank may be decided immediately. */
function answerOf(payment: Payment, publicUrl: string): StartPaymentResponse {
  const decidedAtOnce = payment.method !== 'upi' && payment.page === null
  return {
    reference: payment.reference,
    status: decidedAtOnce ? payment.outcome : 'pending',
    redirect_url: payment.page ? `${publicUrl}/bank/${payment.page.token}` : null,
    reason: decidedAtOnce && payment.outcome === 'failed' ? payment.failure_reason : null,
  }
}

/**
 * Derives the first payment's reference from its attempt, so that concurrent starts collide at the primary key, where the later
 * one is refused. With only the unique index on attempts, FerretDB can let them deadlock for seconds.
 */
function referencesOf(attemptId: string, newIds: NewIds): NewIds['reference'] {
  const references = [referenceFrom(hash('sha256', attemptId, 'buffer'))]
  return () => references.pop() ?? newIds.reference()
}

function sameStart(payment: Payment, start: Start): Payment {
  if (payment.start?.fingerprint === start.fingerprint) return payment
  throw new Refused('idempotency_conflict', 'This idempotency key was used with another body')
}

/** Digest of the request without card number, CVV and holder, which may not be stored even as a hash. */
function fingerprintOf({ card, ...rest }: StartPayment): string {
  const kept = card && { last4: card.number.slice(-4), expires: `${card.expiry_year}-${card.expiry_month}` }
  const fields = Object.entries({ ...rest, card: kept }).sort(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify(fields), 'base64url')
}
