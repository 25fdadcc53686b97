import type { ExportedPayment } from '@gateway/contracts'
import { failureCodeOf } from './failure-codes.ts'
import { refundsOf, toRefundView } from './refund.ts'
import type { Capture, Decision, Transaction } from './transaction.ts'

type ExportedCapture = ExportedPayment['captures'][number]

/** A transaction as the ledger reads it: what a list, a report and a comparison with the bank need. */
export function toExportedPayment(transaction: Transaction): ExportedPayment {
  const { order } = transaction
  return {
    transaction_id: transaction.id,
    order_id: order.orderId,
    merchant_id: order.merchant.id,
    sequence: transaction.sequence,
    version: transaction.version,
    status: transaction.status,
    amount_paise: order.amountPaise,
    method: transaction.method,
    rrn: transaction.rrn,
    failure_reason: transaction.failureReason,
    failure_code: failureCodeOf(transaction),
    payer_vpa: transaction.payer?.vpa ?? null,
    created_at: transaction.createdAt.toISOString(),
    final_at: transaction.finalAt?.toISOString() ?? null,
    captures: transaction.captures.map((capture) => toExportedCapture(capture, transaction)),
    reversals: transaction.reversals.map((reversal) => ({
      reference: reversal.reference,
      amount_paise: reversal.amountPaise,
      reason: reversal.reason,
      status: reversal.status,
      rrn: reversal.rrn,
      requested_at: reversal.requestedAt.toISOString(),
      completed_at: reversal.completedAt?.toISOString() ?? null,
    })),
    refunds: refundsOf(transaction).map((refund) => toRefundView(transaction, refund)),
    rrns: rrnsOf(transaction),
  }
}

/** The numbers under which banks know the payment, its other attempts, its reversals and its refunds, each once. */
function rrnsOf({ rrn, attempts, reversals, refunds = [] }: Transaction): string[] {
  const all = [rrn, ...[...attempts, ...reversals, ...refunds].map((one) => one.rrn)]
  return [...new Set(all.filter((known): known is string => typeof known === 'string' && known !== ''))]
}

function toExportedCapture({ reference, amountPaise, disposition }: Capture, transaction: Transaction): ExportedCapture {
  const accepted = disposition === 'accepted'
  const attempt = transaction.attempts.find((candidate) => candidate.reference === reference)
  const reversal = transaction.reversals.find((candidate) => candidate.reference === reference)
  // An accepted capture makes the transaction final; any other one is recorded together with its reversal.
  const at = (accepted ? transaction.finalAt : reversal?.requestedAt) ?? transaction.updatedAt
  return {
    reference,
    amount_paise: amountPaise,
    accepted,
    rrn: attempt?.rrn ?? (accepted ? transaction.rrn : null),
    method: attempt?.method ?? (accepted ? transaction.method : null),
    at: at.toISOString(),
  }
}

/** The events of a decision as they are published: each with a copy of the payment, as the decision's one write leaves it. */
export function publishedEvents({ transaction, events, moneyEvents }: Pick<Decision, 'transaction' | 'events' | 'moneyEvents'>) {
  const changes = [...events, ...moneyEvents]
  if (changes.length === 0) return []
  const payment = toExportedPayment(transaction)
  return changes.map((event) => ({ ...event, data: { ...event.data, payment } }))
}
