import mongoose, { type Connection, type InferRawDocTypeFromSchema } from 'mongoose'
import {
  ATTEMPT_STATUSES,
  FAILURE_CODES,
  FAILURE_REASONS,
  NETWORK_OUTCOMES,
  ORDER_METHODS,
  ORDER_TEXT_FIELDS,
  PAYMENT_METHODS,
  REFUND_PENDING_REASONS,
  REFUND_REASONS,
  REFUND_STATUSES,
  REVERSAL_REASONS,
  REVERSAL_STATUSES,
  TRANSACTION_STATUSES,
} from '@gateway/contracts'
import { outboxEntrySchema, outboxIndex } from '@gateway/outbox'
import { PRESENT } from '@gateway/service-kit/mongo'
import { REPORTED_BY } from '../domain/transaction.ts'

const embedded = { _id: false, strict: 'throw' } as const
const text = { type: String, required: true } as const
/** Always stored, and may be empty, which `required` would refuse. */
const textOrEmpty = { type: String, default: '' } as const
const integer = { type: Number, required: true } as const
const instant = { type: Date, required: true } as const
/** Always stored; `null` until it is known. */
const textOrNull = { type: String, default: null } as const
const instantOrNull = { type: Date, default: null } as const
/** Left out while there is none: the indexes on these fields hold only documents that have them. */
const optionalInstant = { type: Date, allowNull: false } as const

const merchant = mongoose.Schema.create({ id: text, name: text, vpa: text, mcc: text }, embedded)
const payer = mongoose.Schema.create({ name: text, vpa: text }, embedded)
const texts = mongoose.Schema.create(ORDER_TEXT_FIELDS, embedded)
const order = mongoose.Schema.create(
  {
    orderId: text,
    merchant: { type: merchant, required: true },
    amountPaise: integer,
    texts: { type: texts, required: true },
    methods: { type: [String], enum: ORDER_METHODS, required: true },
    maxAttempts: integer,
    correlationId: textOrEmpty,
  },
  embedded,
)
const attempt = mongoose.Schema.create(
  {
    id: text,
    method: { type: String, enum: PAYMENT_METHODS, required: true },
    status: { type: String, enum: ATTEMPT_STATUSES, required: true },
    failureReason: { type: String, enum: FAILURE_REASONS, default: null },
    reference: textOrNull,
    rrn: textOrNull,
    payer: { type: payer, default: null },
    failureCode: { type: String, enum: FAILURE_CODES, default: null },
    networkCode: textOrNull,
    startedAt: instant,
    endedAt: instantOrNull,
  },
  embedded,
)
const asPending = mongoose.Schema.create(
  {
    at: instant,
    method: { type: String, enum: PAYMENT_METHODS, default: null },
    rrn: textOrNull,
    payer: { type: payer, default: null },
  },
  embedded,
)
const capture = mongoose.Schema.create(
  {
    reference: text,
    amountPaise: integer,
    disposition: { type: String, enum: ['accepted', 'reversed'] as const, required: true },
  },
  embedded,
)
const seenReport = mongoose.Schema.create(
  {
    reference: text,
    outcome: { type: String, enum: NETWORK_OUTCOMES, required: true },
    amountPaise: integer,
    at: optionalInstant,
    by: { type: String, enum: REPORTED_BY, allowNull: false },
  },
  embedded,
)
const reversal = mongoose.Schema.create(
  {
    reference: text,
    amountPaise: integer,
    reason: { type: String, enum: REVERSAL_REASONS, required: true },
    status: { type: String, enum: REVERSAL_STATUSES, required: true },
    rrn: textOrNull,
    requestedAt: instant,
    completedAt: instantOrNull,
    asked: integer,
    dueAt: instantOrNull,
  },
  embedded,
)
const refund = mongoose.Schema.create(
  {
    n: integer,
    refundId: text,
    fingerprint: text,
    amountPaise: integer,
    reason: { type: String, enum: REFUND_REASONS, required: true },
    note: textOrEmpty,
    status: { type: String, enum: REFUND_STATUSES, required: true },
    sequence: integer,
    pendingReason: { type: String, enum: REFUND_PENDING_REASONS, default: null },
    failureCode: { type: String, enum: FAILURE_CODES, default: null },
    networkCode: textOrNull,
    rrn: textOrNull,
    requestedBy: text,
    requestedAt: instant,
    updatedAt: instant,
    completedAt: instantOrNull,
    returnedAt: instantOrNull,
    asked: integer,
    dueAt: instantOrNull,
  },
  embedded,
)
const closing = mongoose.Schema.create(
  { reason: { type: String, enum: ['cancelled', 'expired'] as const, required: true }, at: instant },
  embedded,
)
const enquiry = mongoose.Schema.create({ dueAt: instant, asked: integer, round: integer }, embedded)
const answeredEnquiry = mongoose.Schema.create(
  { at: instant, payments: { type: Number, default: null }, why: textOrNull },
  embedded,
)

/** A transaction as it is stored: the domain's fields, when it is due next, and the events that are not published yet. */
const transactionSchema = mongoose.Schema.create(
  {
    _id: text,
    /** `<merchant id>:<order id>`: what a merchant searches by. */
    orderKey: text,
    order: { type: order, required: true },
    status: { type: String, enum: TRANSACTION_STATUSES, required: true },
    sequence: integer,
    version: integer,
    method: { type: String, enum: PAYMENT_METHODS, default: null },
    rrn: textOrNull,
    payer: { type: payer, default: null },
    failureReason: { type: String, enum: FAILURE_REASONS, default: null },
    asPending: { type: asPending, default: null },
    attempts: { type: [attempt], required: true },
    captures: { type: [capture], required: true },
    seenReports: { type: [seenReport], required: true },
    reversals: { type: [reversal], required: true },
    /** Absent while there is none, also in documents of older releases. */
    refunds: { type: [refund], default: undefined, allowNull: false },
    /** When the network is asked about a refund next; absent when none is pending. */
    refundsDueAt: optionalInstant,
    /** Random id of the last claim of due refunds. */
    refundsClaim: { type: String, allowNull: false },
    closing: { type: closing, default: null },
    enquiry: { type: enquiry, default: null },
    returnedUpTo: { type: String, allowNull: false },
    /** Absent before the first enquiry, also in documents of older releases. */
    answers: { type: [answeredEnquiry], default: undefined, allowNull: false },
    createdAt: instant,
    updatedAt: instant,
    expiresAt: instant,
    finalAt: instantOrNull,
    /** Absent when nothing is left to do. */
    dueAt: optionalInstant,
    /** Random id of the last claim: tells the replica that took a due transaction from others that found it too. */
    claim: { type: String, allowNull: false },
    /** Since when an answer of the network is missing; absent when none is (overdue.ts). */
    waitsSince: optionalInstant,
    outbox: { type: [outboxEntrySchema], required: true },
  },
  { collection: 'transactions', versionKey: false, minimize: false, strict: 'throw' },
)
transactionSchema.index({ orderKey: 1 }, { unique: true, name: 'order_key' })
// Partial: most transactions are finished and need no entry.
transactionSchema.index({ dueAt: 1 }, { name: 'due_at', partialFilterExpression: { dueAt: PRESENT } })
transactionSchema.index({ waitsSince: 1 }, { name: 'waits_since', partialFilterExpression: { waitsSince: PRESENT } })
transactionSchema.index(
  { refundsDueAt: 1 },
  { name: 'refunds_due_at', partialFilterExpression: { refundsDueAt: PRESENT } },
)
// The pending refunds by age, for the alert: an order seldom has more than one.
transactionSchema.index(
  { 'refunds.requestedAt': 1 },
  { name: 'refunds_requested_at', partialFilterExpression: { refundsDueAt: PRESENT } },
)
// For `npm run republish`: a payment may be refunded half a year after it was opened.
transactionSchema.index(
  { updatedAt: 1 },
  { name: 'refunded_updated_at', partialFilterExpression: { refunds: PRESENT } },
)
transactionSchema.index(outboxIndex.key, outboxIndex.options)

export type TransactionDocument = InferRawDocTypeFromSchema<typeof transactionSchema>

/** The model on one connection: its schema defines the documents, for mongoose and for the driver alike. */
export function transactionModel(connection: Connection) {
  return connection.model('Transaction', transactionSchema)
}

export type TransactionModel = ReturnType<typeof transactionModel>
