import {
  formatPaise,
  type AttemptView,
  type CheckoutLinks,
  type CustomerView,
  type LinksOf,
  type ReversalView,
  type SearchOrderResponse,
  type TransactionView,
} from '@gateway/contracts'
import { attemptsLeft, whyNoAttempt } from '../domain/attempts.ts'
import { failureCodeOf } from '../domain/failure-codes.ts'
import { refundablePaise, refundedPaise, refundsOf, toRefundView } from '../domain/refund.ts'
import { isOpen } from '../domain/states.ts'
import type { Attempt, Reversal, Transaction } from '../domain/transaction.ts'

/** The answer of `POST /api/v1/order/search`: every key is present, `null` until known (design, section 5). */
export function toSearchResponse(
  transaction: Transaction,
  customer: CustomerView,
  linksOf: LinksOf,
  now: Date,
): SearchOrderResponse {
  const { order } = transaction
  return {
    data: {
      order: {
        order_id: order.orderId,
        customer,
        ...order.texts,
      },
      transaction: {
        id: transaction.id,
        status: transaction.status,
        amount: formatPaise(order.amountPaise),
        currency: 'INR',
        method: transaction.method,
        rrn: transaction.rrn,
        failure_reason: transaction.failureReason,
        failure_code: failureCodeOf(transaction),
        payer: transaction.payer,
        attempts: transaction.attempts.map(toAttemptView),
        reversals: transaction.reversals.map(toReversalView),
        refunds: refundsOf(transaction).map((refund) => toRefundView(transaction, refund)),
        amount_refunded: formatPaise(refundedPaise(transaction)),
        amount_refundable: formatPaise(refundablePaise(transaction)),
        sequence: transaction.sequence,
        created_at: transaction.createdAt.toISOString(),
        updated_at: transaction.updatedAt.toISOString(),
        expires_at: transaction.expiresAt.toISOString(),
      },
    },
    checkout: checkoutOf(transaction, linksOf, now),
  }
}

/** A transaction as the hosted page and the simulator see it. */
export function toTransactionView(transaction: Transaction, linksOf: LinksOf, now: Date): TransactionView {
  const { order } = transaction
  return {
    id: transaction.id,
    order_id: order.orderId,
    merchant: { id: order.merchant.id, name: order.merchant.name },
    status: transaction.status,
    amount: formatPaise(order.amountPaise),
    currency: 'INR',
    description: order.texts.description,
    methods: order.methods,
    method: transaction.method,
    rrn: transaction.rrn,
    failure_reason: transaction.failureReason,
    attempts: transaction.attempts.map(toAttemptView),
    attempts_left: attemptsLeft(transaction),
    payable: whyNoAttempt(transaction, now) === undefined,
    closing: transaction.closing?.reason ?? null,
    return_url: order.texts.return_url,
    sequence: transaction.sequence,
    version: transaction.version,
    created_at: transaction.createdAt.toISOString(),
    expires_at: transaction.expiresAt.toISOString(),
    checkout: checkoutOf(transaction, linksOf, now),
  }
}

function checkoutOf(transaction: Transaction, linksOf: LinksOf, now: Date): CheckoutLinks | null {
  const canBePaid = isOpen(transaction) && now < transaction.expiresAt
  return canBePaid ? linksOf({ transactionId: transaction.id, intent: transaction.order.intent }) : null
}

function toAttemptView(attempt: Attempt): AttemptView {
  return {
    id: attempt.id,
    method: attempt.method,
    status: attempt.status,
    failure_reason: attempt.failureReason,
    failure_code: attempt.failureCode,
    reference: attempt.reference,
    rrn: attempt.rrn,
    started_at: attempt.startedAt.toISOString(),
    ended_at: attempt.endedAt?.toISOString() ?? null,
  }
}

function toReversalView(reversal: Reversal): ReversalView {
  return {
    reference: reversal.reference,
    amount: formatPaise(reversal.amountPaise),
    reason: reversal.reason,
    status: reversal.status,
    rrn: reversal.rrn,
    requested_at: reversal.requestedAt.toISOString(),
    completed_at: reversal.completedAt?.toISOString() ?? null,
  }
}
