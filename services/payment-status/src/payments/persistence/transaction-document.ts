import mongoose, { type Connection } from 'mongoose'
import { outboxIndex, toEntry, type OutboxDocument } from '@gateway/outbox'
import { indexesOfModel, PRESENT, type OwnIndexes } from '@gateway/service-kit/mongo'
import { orderKey as keyOf, orderTextsOf } from '@gateway/contracts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import { publishedEvents } from '../domain/exported-payment.ts'
import { awaitsNetworkSince, nextDueAt, refundsDueAt as nextRefundDueAt } from '../domain/schedule.ts'

/** A transaction as it is stored: the domain's fields, when it is due next, and the events that are not published yet. */
export interface TransactionDocument extends Omit<Transaction, 'id'>, OutboxDocument {
  /** `<merchant id>:<order id>`: what a merchant searches by. */
  readonly orderKey: string
  /** Absent when nothing is left to do. */
  readonly dueAt?: Date
  /** Random id of the last claim: tells the replica that took a due transaction from others that found it too. */
  readonly claim?: string
  /** When the network is asked about a refund next; absent when none is pending. */
  readonly refundsDueAt?: Date
  /** Random id of the last claim of due refunds. */
  readonly refundsClaim?: string
  /** Since when an answer of the network is missing; absent when none is (overdue.ts). */
  readonly waitsSince?: Date
}

/** It declares the indexes. Documents are made from the domain's types, so that it need not describe their fields once more. */
const transactionSchema = new mongoose.Schema<TransactionDocument>(
  { _id: { type: String, required: true } },
  { collection: 'transactions', versionKey: false, strict: false, strictQuery: false },
)
transactionSchema.index({ orderKey: 1 }, { unique: true, name: 'order_key' })
// Partial: most transactions are finished and need no entry.
transactionSchema.index({ dueAt: 1 }, { name: 'due_at', partialFilterExpression: { dueAt: PRESENT } })
transactionSchema.index({ waitsSince: 1 }, { name: 'waits_since', partialFilterExpression: { waitsSince: PRESENT } })
transactionSchema.index({ refundsDueAt: 1 }, { name: 'refunds_due_at', partialFilterExpression: { refundsDueAt: PRESENT } })
// The pending refunds by age, for the alert: an order seldom has more than one.
transactionSchema.index(
  { 'refunds.requestedAt': 1 },
  { name: 'refunds_requested_at', partialFilterExpression: { refundsDueAt: PRESENT } },
)
// For `npm run republish`: a payment may be refunded half a year after it was opened.
transactionSchema.index({ updatedAt: 1 }, { name: 'refunded_updated_at', partialFilterExpression: { refunds: PRESENT } })
transactionSchema.index(outboxIndex.key, outboxIndex.options)

/** The model on one connection. */
export function transactionModel(connection: Connection) {
  return connection.model('Transaction', transactionSchema)
}

export type TransactionModel = ReturnType<typeof transactionModel>

/** The document that a decision leads to, with the decision's events in its outbox. */
export function toDocument(decision: Decision): TransactionDocument {
  const { id, ...fields } = decision.transaction
  const dueAt = nextDueAt(decision.transaction)
  const refundsDueAt = nextRefundDueAt(decision.transaction)
  const waitsSince = awaitsNetworkSince(decision.transaction)
  return {
    _id: id,
    orderKey: keyOf(fields.order.merchant.id, fields.order.orderId),
    ...fields,
    ...(dueAt ? { dueAt } : {}),
    ...(refundsDueAt ? { refundsDueAt } : {}),
    ...(waitsSince ? { waitsSince } : {}),
    outbox: publishedEvents(decision).map(toEntry),
  }
}

/** The state that a document holds, without what is kept beside it. A document may be older than a text of the order. */
export function toTransaction(document: Omit<TransactionDocument, 'outbox'> & Partial<OutboxDocument>): Transaction {
  const { _id: id, orderKey, dueAt, refundsDueAt, waitsSince, outbox, claim, refundsClaim, order, ...fields } = document
  return { id, order: { ...order, texts: orderTextsOf(order.texts) }, ...fields }
}

/** The indexes without which this service does not start. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [indexesOfModel(transactionModel(connection))]
}
