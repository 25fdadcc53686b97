import { paiseOf, Refused, type ReversalRequest, type ReversalResponse } from '@gateway/contracts'
import { decideReversal, type ReversalDecision } from '../domain/decide.ts'
import type { Payments } from '../persistence/payments.ts'
import type { NewIds } from './make-payment.ts'
import { updatePayment } from './update-payment.ts'

export type ReversePayment = (request: ReversalRequest) => Promise<ReversalResponse>

/**
 * Reverses a capture once. Throws `Refused`: `payment_not_found` also for a payment of another transaction, and
 * `idempotency_conflict` for a repeat with another body.
 */
export function makeReversePayment(dependencies: { payments: Payments; newIds: NewIds; now: () => Date }): ReversePayment {
  const { payments, newIds, now } = dependencies
  return async ({ reference, tr, amount, reason }) => {
    const ask = { amountPaise: paiseOf(amount), reason, rrn: newIds.rrn() }
    let decision: ReversalDecision | undefined
    await updatePayment(payments, reference, (payment) => {
      if (payment.tr !== tr) return payment
      decision = decideReversal(payment, ask, now())
      if (decision.kind === 'conflict' || decision.reversal === payment.reversal) return payment
      return { ...payment, reversal: decision.reversal }
    })
    if (!decision) throw new Refused('payment_not_found', 'The network knows no payment with this reference')
    if (decision.kind === 'conflict') throw new Refused('idempotency_conflict', 'This reversal was requested with another body')
    return decision.response
  }
}
