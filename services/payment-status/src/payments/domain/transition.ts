import {
  eventId,
  isFinal,
  TRANSACTION_STATUS_CHANGED,
  type TransactionStatus,
  type TransactionStatusChanged,
} from '@gateway/contracts'
import { moved, PAYMENT_MOVES, stateOf } from './states.ts'
import type { Alert, Decision, PaymentDetails, Transaction } from './transaction.ts'

/** The start of every decision: nothing has changed yet. */
export function unchanged(transaction: Transaction): Decision {
  return { transaction, changed: false, events: [], moneyEvents: [], alerts: [], excess: [] }
}

/** Changes fields and keeps the status. A decision is one write, so the version rises with its first change only. */
export function amend(
  decision: Decision,
  now: Date,
  changes: Partial<Omit<Transaction, 'version' | 'updatedAt'>>,
  alerts: readonly Alert[] = [],
): Decision {
  const { transaction: before, changed } = decision
  const transaction = { ...before, ...changes, version: changed ? before.version : before.version + 1, updatedAt: now }
  const [from, to] = [stateOf(before), stateOf(transaction)]
  if (from !== to) moved(PAYMENT_MOVES, from, to)
  return { ...decision, transaction, changed: true, alerts: [...decision.alerts, ...alerts] }
}

/** Changes the status: the next sequence number, its event, and other fields. Throws when the table does not allow it. */
export function moveTo(decision: Decision, status: TransactionStatus, now: Date, changes: Partial<Transaction> = {}): Decision {
  const { transaction: before } = decision
  moved(PAYMENT_MOVES, stateOf(before), stateOf({ ...before, status }))
  const next = amend(decision, now, {
    ...changes,
    status,
    sequence: before.sequence + 1,
    finalAt: isFinal(status) ? now : null,
    ...(status === 'Pending' ? { asPending: { ...detailsOf({ ...before, ...changes }), at: now } } : {}),
  })
  return { ...next, events: [...next.events, statusChanged(next.transaction)] }
}

function detailsOf({ method, rrn, payer }: PaymentDetails): PaymentDetails {
  return { method, rrn, payer }
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
