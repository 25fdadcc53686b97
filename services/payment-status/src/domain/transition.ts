import {
  eventId,
  Fault,
  isFinal,
  TRANSACTION_STATUS_CHANGED,
  type TransactionStatus,
  type TransactionStatusChanged,
} from '@gateway/contracts'
import type { Alert, Decision, PaymentDetails, Transaction } from './transaction.ts'

/** Every allowed transition; all others are refused. */
const NEXT = {
  Initiate: ['Pending', 'Success', 'Failed'],
  Pending: ['Success', 'Failed'],
  Success: [],
  Failed: [],
} as const satisfies Record<TransactionStatus, readonly TransactionStatus[]>

export function canMove(from: TransactionStatus, to: TransactionStatus): boolean {
  const allowed: readonly TransactionStatus[] = NEXT[from]
  return allowed.includes(to)
}

/** The start of every decision: nothing has changed yet. */
export function unchanged(transaction: Transaction): Decision {
  return { transaction, events: [], alerts: [] }
}

/** Changes fields and keeps the status. */
export function amend(decision: Decision, changes: Partial<Transaction>, alerts: readonly Alert[] = []): Decision {
  return { ...decision, transaction: { ...decision.transaction, ...changes }, alerts: [...decision.alerts, ...alerts] }
}

/** Changes the status: the next sequence number, its event, and other fields. Throws when the table does not allow it. */
export function moveTo(decision: Decision, status: TransactionStatus, now: Date, changes: Partial<Transaction> = {}): Decision {
  const { transaction: before } = decision
  if (!canMove(before.status, status)) throw new Fault(`a transaction cannot move from ${before.status} to ${status}`)
  const transaction: Transaction = {
    ...before,
    ...changes,
    status,
    sequence: before.sequence + 1,
    updatedAt: now,
    finalAt: isFinal(status) ? now : null,
    ...(status === 'Pending' ? { toldPending: detailsOf({ ...before, ...changes }) } : {}),
  }
  return { ...decision, transaction, events: [...decision.events, statusChanged(transaction)] }
}

function detailsOf({ method, rrn, payer }: PaymentDetails): PaymentDetails {
  return { method, rrn, payer }
}

/** Makes a decision one write: the next version, and `updatedAt`. An unchanged transaction keeps both. */
export function withNextVersion(before: Transaction, decision: Decision, now: Date): Decision {
  if (decision.transaction === before) return decision
  return { ...decision, transaction: { ...decision.transaction, version: before.version + 1, updatedAt: now } }
}

/** The event of the current status. */
export function statusChanged(transaction: Transaction): TransactionStatusChanged {
  const { order } = transaction
  return {
    id: eventId(transaction.id, transaction.sequence),
    type: TRANSACTION_STATUS_CHANGED,
    version: 1,
    occurred_at: transaction.updatedAt.toISOString(),
    correlation_id: order.correlationId,
    data: {
      transaction_id: transaction.id,
      order_id: order.orderId,
      merchant_id: order.merchant.id,
      order_created_at: transaction.createdAt.toISOString(),
      sequence: transaction.sequence,
      status: transaction.status,
      amount_paise: order.amountPaise,
      currency: 'INR',
      method: transaction.method,
      rrn: transaction.rrn,
      payer: transaction.payer ? { ...transaction.payer } : null,
      failure_reason: transaction.failureReason,
      udf1: order.texts.udf1,
      udf2: order.texts.udf2,
      udf3: order.texts.udf3,
    },
  }
}
