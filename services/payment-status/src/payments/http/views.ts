import {
  attemptViewSchema,
  formatPaise,
  reversalViewSchema,
  searchOrderResponseSchema,
  shownAs,
  transactionViewSchema,
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
import type { Transaction } from '../domain/transaction.ts'

const shownAttempt = shownAs<AttemptView>(attemptViewSchema)
const shownReversal = shownAs<ReversalView>(reversalViewSchema)
const shownPayment = shownAs<SearchOrderResponse['data']['transaction']>(
  searchOrderResponseSchema.properties.data.properties.transaction,
)
const shownTransaction = shownAs<TransactionView>(transactionViewSchema)

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
      order: { order_id: order.order_id, customer, ...order.texts },
      transaction: shownPayment({
        ...transaction,
        amount: formatPaise(order.amount_paise),
        currency: 'INR',
        failure_code: failureCodeOf(transaction),
        attempts: transaction.attempts.map(shownAttempt),
        reversals: transaction.reversals.map((one) => shownReversal({ ...one, amount: formatPaise(one.amount_paise) })),
        refunds: refundsOf(transaction).map((refund) => toRefundView(transaction, refund)),
        amount_refunded: formatPaise(refundedPaise(transaction)),
        amount_refundable: formatPaise(refundablePaise(transaction)),
      }),
    },
    checkout: checkoutOf(transaction, linksOf, now),
  }
}

/** A transaction as the hosted page and the simulator see it. */
export function toTransactionView(transaction: Transaction, linksOf: LinksOf, now: Date): TransactionView {
  const { order } = transaction
  const { description, return_url } = order.texts
  return shownTransaction({
    ...{ ...transaction, description, return_url, order_id: order.order_id, methods: order.methods },
    merchant: { id: order.merchant.id, name: order.merchant.name },
    amount: formatPaise(order.amount_paise),
    currency: 'INR',
    attempts: transaction.attempts.map(shownAttempt),
    attempts_left: attemptsLeft(transaction),
    payable: whyNoAttempt(transaction, now) === undefined,
    closing: transaction.closing?.reason ?? null,
    checkout: checkoutOf(transaction, linksOf, now),
  })
}

function checkoutOf(transaction: Transaction, linksOf: LinksOf, now: Date): CheckoutLinks | null {
  const canBePaid = isOpen(transaction) && now < transaction.expires_at
  return canBePaid ? linksOf({ transactionId: transaction.id, intent: transaction.order.intent }) : null
}
