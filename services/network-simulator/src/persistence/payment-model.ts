import mongoose, { type Connection, type InferRawDocTypeFromSchema } from 'mongoose'
import {
  NETWORK_OUTCOMES,
  NETWORK_REFUND_WAITS,
  PAYMENT_METHODS,
  REFUND_REASONS,
  REFUND_STATUSES,
  REVERSAL_REASONS,
  REVERSAL_STATUSES,
} from '@gateway/contracts'
import { CALLBACK_STATES } from '../domain/scheduled-callback.ts'
import { PAGE_KINDS, PAGE_NOTICES } from '../domain/payment.ts'
import { REFUND_BEHAVIOURS } from '../domain/refund-behaviours.ts'
import { REFUND_FAILURES } from '../domain/refund.ts'
import { REVERSAL_BEHAVIOURS } from '../domain/upi-scenarios.ts'

const { Schema } = mongoose

/** Reads and writes do not run validators; `required` makes the inferred type of a field exclude `null`. */
const required = { required: true } as const
const NESTED = { _id: false, id: false, strict: 'throw' } as const

const payer = new Schema({ name: { type: String, ...required }, vpa: { type: String, ...required } }, NESTED)

const start = new Schema({ attemptId: { type: String, ...required }, fingerprint: { type: String, ...required } }, NESTED)

const page = new Schema(
  {
    kind: { type: String, enum: PAGE_KINDS, ...required },
    token: { type: String, ...required },
    returnUrl: { type: String, ...required },
    description: { type: String, ...required },
    expiresAt: { type: Date, ...required },
    refusesOtp: { type: Boolean, ...required },
    wrongOtps: { type: Number, ...required },
    resends: { type: Number, ...required },
    notice: { type: String, enum: PAGE_NOTICES, default: null },
  },
  NESTED,
)

const reversal = new Schema(
  {
    reason: { type: String, enum: REVERSAL_REASONS, ...required },
    status: { type: String, enum: REVERSAL_STATUSES, ...required },
    rrn: { type: String, ...required },
    requestedAt: { type: Date, ...required },
    completesAt: { type: Date, ...required },
  },
  NESTED,
)

const status = { type: String, enum: REFUND_STATUSES, ...required } as const
const nextStatus = new Schema({ status, at: { type: Date, ...required } }, NESTED)

const refund = new Schema(
  {
    id: { type: String, ...required },
    amountPaise: { type: Number, ...required },
    reason: { type: String, enum: REFUND_REASONS, ...required },
    status,
    pendingReason: { type: String, enum: NETWORK_REFUND_WAITS, default: null },
    failure: { type: String, enum: REFUND_FAILURES, default: null },
    rrn: { type: String, ...required },
    requestedAt: { type: Date, ...required },
    next: { type: nextStatus, default: null },
  },
  NESTED,
)

const callback = new Schema(
  {
    id: { type: String, ...required },
    messageId: { type: String, ...required },
    outcome: { type: String, enum: NETWORK_OUTCOMES, ...required },
    refund: { type: new Schema({ id: { type: String, ...required }, status }, NESTED) },
    settles: { type: Boolean, ...required },
    after: { type: String, default: null },
    waitsForFinal: { type: Boolean, ...required },
    dueAt: { type: Date, ...required },
    tries: { type: Number, ...required },
    state: { type: String, enum: CALLBACK_STATES, ...required },
  },
  NESTED,
)

const unclear = new Schema({ left: { type: Number, ...required }, until: { type: Date, ...required } }, NESTED)

/** The definition of a stored payment. Unknown fields are refused. */
const paymentSchema = Schema.create(
  {
    /** The payment's reference. */
    _id: { type: String, ...required },
    tr: { type: String, ...required },
    method: { type: String, enum: PAYMENT_METHODS, ...required },
    amountPaise: { type: Number, ...required },
    outcome: { type: String, enum: NETWORK_OUTCOMES, ...required },
    failureReason: { type: String, default: null },
    rrn: { type: String, ...required },
    payer: { type: payer, default: null },
    instrument: { type: String, default: null },
    start: { type: start, default: null },
    page: { type: page, default: null },
    reversalBehaviour: { type: String, enum: REVERSAL_BEHAVIOURS, ...required },
    reversal: { type: reversal, default: null },
    refundBehaviour: { type: String, enum: REFUND_BEHAVIOURS },
    // No default, so that a payment without refunds stores no empty list.
    refunds: { type: [refund], default: undefined, allowNull: false },
    callbacks: { type: [callback], ...required },
    unclear: { type: unclear },
    /** When the next callback is due; `null` when none is left. */
    nextDueAt: { type: Date, default: null },
    version: { type: Number, ...required },
    createdAt: { type: Date, ...required },
  },
  { collection: 'payments', versionKey: false, minimize: false, id: false, strict: 'throw' },
)
/** A stored payment, inferred from the schema. */
export type PaymentDocument = InferRawDocTypeFromSchema<typeof paymentSchema>

paymentSchema.index({ tr: 1, createdAt: 1 })
// Most payments have no callback left to send; the index leaves them out.
paymentSchema.index({ nextDueAt: 1 }, { partialFilterExpression: { nextDueAt: { $type: 'date' } } })
// One payment per attempt, however often and on however many replicas the attempt is started.
paymentSchema.index({ 'start.attemptId': 1 }, { unique: true, partialFilterExpression: { 'start.attemptId': { $exists: true } } })
paymentSchema.index({ 'page.token': 1 }, { unique: true, partialFilterExpression: { 'page.token': { $exists: true } } })

export function paymentModel(connection: Connection) {
  return connection.model('Payment', paymentSchema)
}
