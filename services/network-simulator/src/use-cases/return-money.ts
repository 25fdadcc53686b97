import {
  paiseOf,
  parseRefundId,
  Refused,
  ValidationFailed,
  type NetworkRefundRequest,
  type RefundReport,
  type ReversalRequest,
  type ReversalResponse,
} from '@gateway/contracts'
import { createKeyedQueue } from '@gateway/service-kit'
import { decideReversal, type ReversalDecision } from '../domain/decide.ts'
import { decideRefund, refundConflict, resolveRefund, type RefundDecision } from '../domain/decide-refund.ts'
import type { Payment } from '../domain/payment.ts'
import { refundAt, refundReportOf } from '../domain/refund.ts'
import { updatePayment } from '../persistence/payments.ts'
import type { Tools } from './create-payments.ts'

const UNKNOWN_CAPTURE = 'The network knows no payment with this reference'

export type ReversePayment = (request: ReversalRequest) => Promise<ReversalResponse>

/**
 * Reverses a capture once. Throws `Refused`: `payment_not_found` also for a payment of another transaction, and
 * `idempotency_conflict` for a repeat with another body.
 */
export function makeReversePayment({ payments, newIds, now }: Tools): ReversePayment {
  return async ({ reference, tr, amount, reason }) => {
    const ask = { amountPaise: paiseOf(amount), reason, rrn: newIds.rrn() }
    let decision: ReversalDecision | undefined
    await updatePayment(payments, reference, (payment) => {
      if (payment.tr !== tr) return payment
      decision = decideReversal(payment, ask, now())
      return decision.reversal === payment.reversal ? payment : { ...payment, reversal: decision.reversal }
    })
    if (!decision) throw new Refused('payment_not_found', UNKNOWN_CAPTURE)
    return decision.response
  }
}

/** Refunds at the simulated network. */
export interface RefundPayments {
  /**
   * Refunds a part of a capture, or returns the earlier result for the same id. `lost`: the refund is made, but its answer must not arrive.
   * Throws `Refused`: `payment_not_found`, `idempotency_conflict`, `too_many_refunds`.
   */
  request(request: NetworkRefundRequest): Promise<RefundReport | 'lost'>
  /** `undefined` for an unknown refund. */
  find(id: string): Promise<RefundReport | undefined>
  /** A tester ends a pending refund. Throws `Refused`: `refund_not_found`, `payment_finished`. */
  resolve(id: string, outcome: 'succeeded' | 'failed'): Promise<RefundReport>
}

export function makeRefundPayments({ payments, sender, newIds, now }: Tools): RefundPayments {
  // Refunds of one transaction on this replica go one after another, so that their writes do not conflict.
  const inOrder = createKeyedQueue()

  async function refund({ refund_id: id, reference, tr, amount, reason }: NetworkRefundRequest): Promise<RefundReport | 'lost'> {
    const others = (await payments.findByTransaction(tr)).filter((payment) => payment.reference !== reference)
    if (others.some((payment) => holds(payment, id))) throw refundConflict()
    const request = { id, amount_paise: paiseOf(amount), reason }
    const rrn = newIds.rrn()
    let decision: RefundDecision | undefined
    const saved = await updatePayment(payments, reference, (payment) => {
      if (payment.tr !== tr) return payment
      decision = decideRefund(payment, request, rrn, now())
      return decision.payment
    })
    if (!saved || !decision) throw new Refused('payment_not_found', UNKNOWN_CAPTURE)
    sender.sendSoon([saved])
    return decision.isLost ? 'lost' : refundReportOf(decision.refund)
  }

  async function paymentWith(id: string): Promise<Payment | undefined> {
    const { transactionId } = parseRefundId(id) ?? {}
    if (transactionId === undefined) return undefined
    return (await payments.findByTransaction(transactionId)).find((payment) => holds(payment, id))
  }

  return {
    async request(request) {
      requireValid(request)
      return inOrder(request.tr, () => refund(request))
    },
    async find(id) {
      return reportIn(await paymentWith(id), id, now())
    },
    async resolve(id, outcome) {
      const found = await paymentWith(id)
      if (!found) throw new Refused('refund_not_found', 'The simulator knows no refund with this id')
      let before: Payment | undefined
      const saved = await updatePayment(payments, found.reference, (payment) => {
        before = payment
        return resolveRefund(payment, id, outcome, now())
      })
      const report = reportIn(saved, id, now())
      if (!saved || !report || saved === before) throw new Refused('payment_finished', 'This refund is not pending')
      sender.sendSoon([saved])
      return report
    },
  }
}

function holds({ refunds }: Payment, id: string): boolean {
  return refunds.some((refund) => refund.id === id)
}

function reportIn(payment: Payment | undefined, id: string, now: Date): RefundReport | undefined {
  const refund = payment?.refunds.find((candidate) => candidate.id === id)
  return refund && refundReportOf(refundAt(refund, now))
}

function requireValid({ refund_id: id, tr, amount }: NetworkRefundRequest): void {
  if (parseRefundId(id)?.transactionId !== tr) {
    throw new ValidationFailed([{ field: '/refund_id', message: 'must be the tr, R and two digits' }])
  }
  if (paiseOf(amount) === 0) throw new ValidationFailed([{ field: '/amount', message: 'must be at least 0.01' }])
}
