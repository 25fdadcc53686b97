import {
  eventId,
  isFinal,
  ORDER_METHODS,
  orderTextsOf,
  shownAs,
  statusChange,
  TRANSACTION_STATUS_CHANGED,
  type OrderCreated,
  type TransactionStatus,
  type TransactionStatusChanged,
} from '@gateway/contracts'
import { isOpen, moved, PAYMENT_MOVES, stateOf } from './states.ts'
import type { Alert, Decision, PaymentDetails, Transaction } from './transaction.ts'
import { after, upiPausesMs, type Timing } from './schedule.ts'

/** The start of every decision: nothing has changed yet. */
export function unchanged(transaction: Transaction): Decision {
  return { transaction, changed: false, events: [], moneyEvents: [], alerts: [], excess: [] }
}

/** Changes fields and keeps the status. A decision is one write, so the version rises with its first change only. */
export function amend(
  decision: Decision,
  now: Date,
  changes: Partial<Omit<Transaction, 'version' | 'updated_at'>>,
  alerts: readonly Alert[] = [],
): Decision {
  const { transaction: before, changed } = decision
  const transaction = { ...before, ...changes, version: changed ? before.version : before.version + 1, updated_at: now }
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
    final_at: isFinal(status) ? now : null,
    ...(status === 'Pending' ? { as_pending: { ...detailsOf({ ...before, ...changes }), at: now } } : {}),
  })
  return { ...next, events: [...next.events, statusChanged(next.transaction)] }
}

function detailsOf({ method, rrn, payer }: PaymentDetails): PaymentDetails {
  return { method, rrn, payer }
}

const shownChange = shownAs<TransactionStatusChanged['data']>(statusChange)

/** The event of the current status. */
export function statusChanged(transaction: Transaction): TransactionStatusChanged {
  const { id, order, sequence, created_at, updated_at } = transaction
  return {
    id: eventId(id, sequence),
    type: TRANSACTION_STATUS_CHANGED,
    version: 1,
    occurred_at: updated_at.toISOString(),
    correlation_id: order.correlation_id,
    data: shownChange({
      ...{ ...transaction, ...order, ...order.texts, transaction_id: id, merchant_id: order.merchant.id },
      order_created_at: created_at,
      currency: 'INR',
    }),
  }
}

/** What closing needs of the schedule; without the pauses of UPI the network is asked at once. */
type UpiTiming = Pick<Timing, 'upiEnquiryDelaysMs'>

/** The shopper or the merchant cancels: no new attempt can start, and the network is asked. */
export function cancel(before: Transaction, now: Date, timing: UpiTiming = {}): Decision {
  return close(before, 'cancelled', now, now, timing)
}

/** The time to pay is over: no new attempt can start, and the network is asked, because a UPI app may have paid without us. */
export function expire(before: Transaction, now: Date, timing: UpiTiming = {}): Decision {
  return now < before.expires_at ? unchanged(before) : close(before, 'expired', before.expires_at, now, timing)
}

function close(before: Transaction, reason: 'cancelled' | 'expired', at: Date, now: Date, timing: UpiTiming): Decision {
  if (!isOpen(before)) return unchanged(before)
  // The shopper may have paid in a UPI app until now.
  const dueAt = after(now, upiPausesMs(before, timing)?.[0] ?? 0)
  return amend(unchanged(before), now, { closing: { reason, at }, enquiry: { due_at: dueAt, requests: 0, round: 0 } })
}

/** The transaction of a new order, with its first event. Fields that a newer publisher added are left out. */
export function openTransaction({ data, correlation_id }: OrderCreated): Decision {
  const { order_id, amount_paise, max_attempts, intent } = data
  const { id, name, vpa, mcc } = data.merchant
  const created_at = new Date(data.created_at)
  const transaction: Transaction = {
    id: data.transaction_id,
    order: {
      ...{ order_id, merchant: { id, name, vpa, mcc }, amount_paise, texts: orderTextsOf(data) },
      methods: ORDER_METHODS.filter((method) => data.methods.includes(method)),
      ...{ max_attempts, intent, correlation_id },
    },
    ...{ status: 'Initiate', sequence: 1, version: 1 },
    ...{ method: null, rrn: null, payer: null, failure_reason: null, as_pending: null },
    ...{ attempts: [], captures: [], seen_reports: [], reversals: [] },
    ...{ closing: null, enquiry: null },
    ...{ created_at, updated_at: created_at, expires_at: new Date(data.expires_at), final_at: null },
  }
  return { ...unchanged(transaction), changed: true, events: [statusChanged(transaction)] }
}
