import { exportedPaymentSchema, shownAs, type ExportedPayment } from '@gateway/contracts'
import { failureCodeOf } from './failure-codes.ts'
import { refundsOf, toRefundView } from './refund.ts'
import type { Capture, Decision, Transaction } from './transaction.ts'

const { captures, reversals } = exportedPaymentSchema.properties
const shownPayment = shownAs<ExportedPayment>(exportedPaymentSchema)
const shownCapture = shownAs<ExportedPayment['captures'][number]>(captures.items)
const shownReversal = shownAs<ExportedPayment['reversals'][number]>(reversals.items)

/** A transaction as the ledger reads it: what a list, a report and a comparison with the bank need. */
export function toExportedPayment(transaction: Transaction): ExportedPayment {
  const { id, order, payer } = transaction
  return shownPayment({
    ...transaction,
    transaction_id: id,
    order_id: order.order_id,
    merchant_id: order.merchant.id,
    amount_paise: order.amount_paise,
    failure_code: failureCodeOf(transaction),
    payer_vpa: payer?.vpa ?? null,
    captures: transaction.captures.map((capture) => toExportedCapture(capture, transaction)),
    reversals: transaction.reversals.map(shownReversal),
    refunds: refundsOf(transaction).map((refund) => toRefundView(transaction, refund)),
    rrns: rrnsOf(transaction),
  })
}

/** The numbers under which banks know the payment, its other attempts, its reversals and its refunds, each once. */
function rrnsOf({ rrn, attempts, reversals, refunds = [] }: Transaction): string[] {
  const all = [rrn, ...[...attempts, ...reversals, ...refunds].map((one) => one.rrn)]
  return [...new Set(all.filter((known): known is string => typeof known === 'string' && known !== ''))]
}

function toExportedCapture(capture: Capture, transaction: Transaction): ExportedPayment['captures'][number] {
  const { reference } = capture
  const accepted = capture.disposition === 'accepted'
  const attempt = transaction.attempts.find((candidate) => candidate.reference === reference)
  const reversal = transaction.reversals.find((candidate) => candidate.reference === reference)
  // An accepted capture makes the transaction final; any other one is recorded together with its reversal.
  const at = (accepted ? transaction.final_at : reversal?.requested_at) ?? transaction.updated_at
  const { rrn, method } = attempt ?? (accepted ? transaction : { rrn: null, method: null })
  return shownCapture({ ...capture, accepted, rrn, method, at: at.toISOString() })
}

/** The events of a decision as they are published: each with a copy of the payment, as the decision's one write leaves it. */
export function publishedEvents({ transaction, events, moneyEvents }: Pick<Decision, 'transaction' | 'events' | 'moneyEvents'>) {
  const changes = [...events, ...moneyEvents]
  if (changes.length === 0) return []
  const payment = toExportedPayment(transaction)
  return changes.map((event) => ({ ...event, data: { ...event.data, payment } }))
}
