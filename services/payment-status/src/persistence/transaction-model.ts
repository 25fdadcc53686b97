import mongoose, { type Connection } from 'mongoose'
import { outboxIndex, type OutboxEntry } from '@gateway/outbox'
import type { Transaction } from '../domain/transaction.ts'

/** A transaction as it is stored: the domain's fields, when it is due, and the events that are not published yet. */
export type TransactionDocument = Omit<Transaction, 'id'> & {
  _id: string
  /** `<merchant id>:<order id>`: what a merchant searches by. */
  orderKey: string
  /** Absent when nothing is ever to be done again. */
  dueAt?: Date
  /** Of whom took it last when it was due; told apart from others who found it due as well. */
  claim?: string
  /** Absent unless an answer of the network is waited for that a person may have to get (overdue.ts). */
  waitsSince?: Date
  outbox: OutboxEntry[]
  /** Every status change and its time, for the audit of what was told of it; absent in what is older than this field. */
  transitions?: { sequence: number; at: Date }[]
}

const { Mixed } = mongoose.Schema.Types

const transactionSchema = new mongoose.Schema(
  {
    _id: { type: String, required: true },
    orderKey: { type: String, required: true },
    order: { type: Mixed, required: true },
    status: { type: String, required: true },
    sequence: { type: Number, required: true },
    version: { type: Number, required: true },
    method: String,
    rrn: String,
    payer: Mixed,
    failureReason: String,
    attempts: [Mixed],
    captures: [Mixed],
    seenReports: [Mixed],
    reversals: [Mixed],
    closing: Mixed,
    enquiry: Mixed,
    createdAt: Date,
    updatedAt: Date,
    expiresAt: Date,
    finalAt: Date,
    dueAt: Date,
    claim: String,
    waitsSince: Date,
    outbox: [Mixed],
    transitions: [Mixed],
  },
  { collection: 'transactions', versionKey: false, minimize: false },
)
transactionSchema.index({ orderKey: 1 }, { unique: true, name: 'order_key' })
// Only what is still to be done is in the index: most transactions are not.
transactionSchema.index({ dueAt: 1 }, { name: 'due_at', partialFilterExpression: { dueAt: { $exists: true } } })
transactionSchema.index({ waitsSince: 1 }, { name: 'waits_since', partialFilterExpression: { waitsSince: { $exists: true } } })
transactionSchema.index(outboxIndex.key, outboxIndex.options)

export function transactionModel(connection: Connection) {
  return connection.model('Transaction', transactionSchema)
}
