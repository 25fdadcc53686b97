import {
  assertNever,
  eventId,
  isFinal,
  ORDER_METHODS,
  TRANSACTION_STATUS_CHANGED,
  type AttemptStatus,
  type FailureReason,
  type NetworkOutcome,
  type OrderCreated,
  type OrderMethod,
  type Payer,
  type PaymentMethod,
  type ReversalReason,
  type ReversalStatus,
  type TransactionStatus,
  type TransactionStatusChanged,
} from '@gateway/contracts'

/** A payment's journey. Source: specification, section 3, and design, section 4 ("The state machine"). */
export interface Transaction {
  /** Also the UPI transaction reference `tr`. */
  readonly id: string
  readonly order: OrderDetails
  readonly status: TransactionStatus
  /** Counts status changes, from 1, without gaps. */
  readonly sequence: number
  /** Counts every write; the guard of the next one. */
  readonly version: number
  readonly method: PaymentMethod | null
  readonly rrn: string | null
  readonly payer: Payer | null
  readonly failureReason: FailureReason | null
  readonly attempts: readonly Attempt[]
  /** One entry per reference that the network captured money for. */
  readonly captures: readonly Capture[]
  /** Reports that were seen, so that a repeated one has no effect. */
  readonly seenReports: readonly SeenReport[]
  readonly reversals: readonly Reversal[]
  /** Set when no attempt can start any more although the status is not final yet. */
  readonly closing: Closing | null
  /** When the network is asked next. */
  readonly enquiry: Enquiry | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly expiresAt: Date
  readonly finalAt: Date | null
}

/** What the order says; it never changes. */
export interface OrderDetails {
  readonly orderId: string
  readonly merchant: { readonly id: string; readonly name: string; readonly vpa: string; readonly mcc: string }
  readonly amountPaise: number
  readonly description: string
  readonly methods: readonly OrderMethod[]
  readonly returnUrl: string | null
  readonly maxAttempts: number
  readonly udf1: string
  readonly udf2: string
  readonly udf3: string
  readonly correlationId: string
}

export interface Attempt {
  readonly id: string
  readonly method: PaymentMethod
  readonly status: AttemptStatus
  readonly failureReason: FailureReason | null
  /** The network's id of the payment, once it is known. */
  readonly reference: string | null
  readonly startedAt: Date
  readonly endedAt: Date | null
}

export interface Capture {
  readonly reference: string
  readonly amountPaise: number
  readonly disposition: 'accepted' | 'reversed'
}

export interface SeenReport {
  readonly reference: string
  readonly outcome: NetworkOutcome
  readonly amountPaise: number
}

export interface Reversal {
  readonly reference: string
  readonly amountPaise: number
  readonly reason: ReversalReason
  readonly status: ReversalStatus
  readonly requestedAt: Date
  readonly completedAt: Date | null
  readonly asked: number
  readonly dueAt: Date | null
}

export interface Closing {
  readonly reason: 'cancelled' | 'expired'
  readonly at: Date
}

export interface Enquiry {
  readonly dueAt: Date
  /** How often the network was asked since this round began. */
  readonly asked: number
  /** After a final status: which of the repeated enquiries this is. */
  readonly round: number
}

/** What a person has to look at. */
export type Alert = 'unconfirmed' | 'contradictory_report' | 'reversal_refused' | 'reversal_overdue' | 'final_enquiry_unanswered'

/** What an input did to a transaction: the new state, the events of it, and what a person has to look at. */
export interface Decision {
  readonly transaction: Transaction
  readonly events: readonly TransactionStatusChanged[]
  readonly alerts: readonly Alert[]
}

/** Every allowed transition; whatever is not here is refused. */
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

/** The transaction of a new order, with its first event. */
export function openTransaction({ data, correlation_id: correlationId }: OrderCreated): Decision {
  const createdAt = new Date(data.created_at)
  const transaction: Transaction = {
    id: data.transaction_id,
    order: {
      orderId: data.order_id,
      merchant: data.merchant,
      amountPaise: data.amount_paise,
      description: data.description,
      methods: ORDER_METHODS.filter((method) => data.methods.includes(method)),
      returnUrl: data.return_url,
      maxAttempts: data.max_attempts,
      udf1: data.udf1,
      udf2: data.udf2,
      udf3: data.udf3,
      correlationId,
    },
    status: 'Initiate',
    sequence: 1,
    version: 1,
    method: null,
    rrn: null,
    payer: null,
    failureReason: null,
    attempts: [],
    captures: [],
    seenReports: [],
    reversals: [],
    closing: null,
    enquiry: null,
    createdAt,
    updatedAt: createdAt,
    expiresAt: new Date(data.expires_at),
    finalAt: null,
  }
  return { transaction, events: [statusChanged(transaction)], alerts: [] }
}

/** Nothing happened yet: where every decision starts. */
export function unchanged(transaction: Transaction): Decision {
  return { transaction, events: [], alerts: [] }
}

/** A change that keeps the status. */
export function amend(decision: Decision, changes: Partial<Transaction>, alerts: readonly Alert[] = []): Decision {
  return { ...decision, transaction: { ...decision.transaction, ...changes }, alerts: [...decision.alerts, ...alerts] }
}

/** A status change: the next number, its event, and what else changes with it. Throws when the table does not allow it. */
export function moveTo(decision: Decision, status: TransactionStatus, now: Date, changes: Partial<Transaction> = {}): Decision {
  const { transaction: before } = decision
  if (!canMove(before.status, status)) throw new Error(`a transaction cannot move from ${before.status} to ${status}`)
  const transaction: Transaction = {
    ...before,
    ...changes,
    status,
    sequence: before.sequence + 1,
    updatedAt: now,
    finalAt: isFinal(status) ? now : null,
  }
  return { ...decision, transaction, events: [...decision.events, statusChanged(transaction)] }
}

/** Counts a decision as one write, if it changed anything. */
export function sealed(before: Transaction, decision: Decision, now: Date): Decision {
  if (decision.transaction === before) return decision
  return { ...decision, transaction: { ...decision.transaction, version: before.version + 1, updatedAt: now } }
}

/** The methods of an order that a payment's method belongs to. */
export function orderMethodOf(method: PaymentMethod): OrderMethod {
  switch (method) {
    case 'upi':
    case 'netbanking':
      return method
    case 'credit_card':
    case 'debit_card':
      return 'card'
    default:
      return assertNever(method)
  }
}

function statusChanged(transaction: Transaction): TransactionStatusChanged {
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
      udf1: order.udf1,
      udf2: order.udf2,
      udf3: order.udf3,
    },
  }
}
