import mongoose, { type Connection, type InferRawDocTypeFromSchema } from 'mongoose'
import { FAILURE_CODES, PAYMENT_METHODS, REFUND_STATES, TRANSACTION_STATUSES } from '@gateway/contracts'
import type { Payment } from '../domain/payment.ts'

const text = { type: String, required: true } as const
const integer = { type: Number, required: true } as const
const instant = { type: Date, required: true } as const
/** Absent while there is no value: the partial index holds only documents that have the field. */
const optionalText = { type: String, allowNull: false } as const

/** `_id` is `<merchant id>:<transaction id>`: in the order of creation for each merchant. */
const paymentSchema = mongoose.Schema.create(
  {
    _id: text,
    merchant_id: text,
    order_id: text,
    status: { type: String, enum: TRANSACTION_STATUSES, required: true },
    sequence: integer,
    version: integer,
    amount_paise: integer,
    method: { type: String, enum: PAYMENT_METHODS, default: null },
    rrn: optionalText,
    failure_code: { type: String, enum: FAILURE_CODES, default: null },
    payer_hash: optionalText,
    refund_state: { type: String, enum: REFUND_STATES, required: true },
    refunded_paise: integer,
    created_at: instant,
    final_at: { type: Date, default: null },
  },
  { collection: 'payments', versionKey: false, minimize: false, strict: 'throw' },
)
paymentSchema.index({ merchant_id: 1, status: 1, _id: 1 }, { name: 'status' })
paymentSchema.index({ merchant_id: 1, refund_state: 1, _id: 1 }, { name: 'refund_state' })
paymentSchema.index({ merchant_id: 1, order_id: 1 }, { name: 'order_id' })
paymentSchema.index(
  { merchant_id: 1, payer_hash: 1 },
  { name: 'payer_hash', partialFilterExpression: { payer_hash: { $exists: true } } },
)

export type PaymentDocument = InferRawDocTypeFromSchema<typeof paymentSchema>

/** The model on one connection; it declares the collection and its indexes. */
export function paymentModel(connection: Connection) {
  return connection.model('Payment', paymentSchema)
}

/** The `_id` of a payment's document. */
export function paymentKey(merchantId: string, transactionId: string): string {
  return `${merchantId}:${transactionId}`
}

export function toDocument(payment: Payment): PaymentDocument {
  const { merchantId, transactionId, rrn, payerHash } = payment
  return {
    _id: paymentKey(merchantId, transactionId),
    merchant_id: merchantId,
    order_id: payment.orderId,
    status: payment.status,
    sequence: payment.sequence,
    version: payment.version,
    amount_paise: payment.amountPaise,
    method: payment.method,
    ...(rrn === null ? {} : { rrn }),
    failure_code: payment.failureCode,
    ...(payerHash === null ? {} : { payer_hash: payerHash }),
    refund_state: payment.refundState,
    refunded_paise: payment.refundedPaise,
    created_at: payment.createdAt,
    final_at: payment.finalAt,
  }
}

export function toPayment(document: PaymentDocument): Payment {
  const { _id, merchant_id: merchantId } = document
  return {
    merchantId,
    transactionId: _id.slice(merchantId.length + 1),
    orderId: document.order_id,
    status: document.status,
    sequence: document.sequence,
    version: document.version,
    amountPaise: document.amount_paise,
    method: document.method ?? null,
    rrn: document.rrn ?? null,
    failureCode: document.failure_code ?? null,
    payerHash: document.payer_hash ?? null,
    refundState: document.refund_state,
    refundedPaise: document.refunded_paise,
    createdAt: document.created_at,
    finalAt: document.final_at ?? null,
  }
}
