import mongoose, { type Connection } from 'mongoose'
import { outboxIndex, toEntry, type OutboxDocument } from '@gateway/outbox'
import { indexesOfModel, PRESENT, type OwnIndexes } from '@gateway/service-kit/mongo'
import { orderKey, orderTextsOf, ownSlotOf } from '@gateway/contracts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import { publishedEvents } from '../domain/exported-payment.ts'
import { awaitsNetworkSince, nextDueAt, refundsDueAt } from '../domain/schedule.ts'

/** A transaction as it is stored: the domain's fields, when it is due next, and the events that are not published yet. */
export interface TransactionDocument extends Omit<Transaction, 'id'>, OutboxDocument {
  /** `<merchant id>:<order id>`: what a merchant searches by. */
  readonly order_key: string
  /** Absent when nothing is left to do. */
  readonly due_at?: Date
  /** Random id of the last claim: tells the replica that took a due transaction from others that found it too. */
  readonly claim?: string
  /** When the network is asked about a refund next; absent when none is pending. */
  readonly refunds_due_at?: Date
  /** Random id of the last claim of due refunds. */
  readonly refunds_claim?: string
  /** Since when an answer of the network is missing; absent when none is (overdue.ts). */
  readonly waits_since?: Date
}

/** Kept beside the state, and no part of the domain's transaction. */
export const NOT_THE_STATE = { outbox: 0, claim: 0, refunds_claim: 0 } as const

/** It declares the indexes. Documents are made from the domain's types, so that it need not describe their fields once more. */
const transactionSchema = new mongoose.Schema<TransactionDocument>(
  { _id: { type: String, required: true } },
  { collection: 'transactions', versionKey: false, strict: false, strictQuery: false },
)
// MongoDB shards by both: a unique index has to begin with all of the shard key.
transactionSchema.index({ slot: 1, order_key: 1 }, { unique: true, name: 'order_key' })
// Partial: most transactions are finished and need no entry.
transactionSchema.index({ due_at: 1, slot: 1 }, { name: 'due_at', partialFilterExpression: { due_at: PRESENT } })
transactionSchema.index({ waits_since: 1 }, { name: 'waits_since', partialFilterExpression: { waits_since: PRESENT } })
transactionSchema.index(
  { refunds_due_at: 1, slot: 1 },
  { name: 'refunds_due_at', partialFilterExpression: { refunds_due_at: PRESENT } },
)
// The pending refunds by age, for the alert: an order seldom has more than one.
transactionSchema.index(
  { 'refunds.created_at': 1 },
  { name: 'refunds_created_at', partialFilterExpression: { refunds_due_at: PRESENT } },
)
// For `npm run republish`: a payment may be refunded half a year after it was opened.
transactionSchema.index({ updated_at: 1 }, { name: 'refunded_updated_at', partialFilterExpression: { refunds: PRESENT } })
transactionSchema.index(outboxIndex.key, outboxIndex.options)

/** The model on one connection. */
export function transactionModel(connection: Connection) {
  return connection.model('Transaction', transactionSchema)
}

export type TransactionModel = ReturnType<typeof transactionModel>

/** The document that a decision leads to, with the decision's events in its outbox. */
export function toDocument(decision: Decision): TransactionDocument {
  const { transaction } = decision
  const { id, ...fields } = transaction
  const [due_at, refunds_due_at, waits_since] = [
    nextDueAt(transaction),
    refundsDueAt(transaction),
    awaitsNetworkSince(transaction),
  ]
  return {
    _id: id,
    slot: ownSlotOf(id),
    order_key: orderKey(fields.order.merchant.id, fields.order.order_id),
    ...fields,
    ...(due_at ? { due_at } : {}),
    ...(refunds_due_at ? { refunds_due_at } : {}),
    ...(waits_since ? { waits_since } : {}),
    outbox: publishedEvents(decision).map(toEntry),
  }
}

/** The state that a document holds, without what is kept beside it. */
export function toTransaction(document: Omit<TransactionDocument, 'outbox'> & Partial<OutboxDocument>): Transaction {
  const {
    _id: id,
    slot,
    order_key,
    due_at,
    refunds_due_at,
    waits_since,
    outbox,
    claim,
    refunds_claim,
    order,
    ...fields
  } = document
  return { id, order: { ...order, texts: orderTextsOf(order.texts) }, ...fields }
}

/** The indexes without which this service does not start. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [indexesOfModel(transactionModel(connection))]
}
