import mongoose, { type Connection, type InferRawDocTypeFromSchema } from 'mongoose'
import { FAILURE_CODES, REFUND_PENDING_REASONS, REFUND_REASONS, REFUND_STATUSES } from '@gateway/contracts'
import { refundPosition, type LedgerRefund } from '../domain/refund.ts'

const text = { type: String, required: true } as const
const instant = { type: Date, required: true } as const

/** `_id` is `<merchant id>:<time of creation>/<refund's id>`: in the order of creation for each merchant. */
const refundSchema = mongoose.Schema.create(
  {
    _id: text,
    merchant_id: text,
    /** Version of the transaction. */
    version: { type: Number, required: true },
    public_id: text,
    refund_id: text,
    order_id: text,
    transaction_id: text,
    amount: text,
    status: { type: String, enum: REFUND_STATUSES, required: true },
    pending_reason: { type: String, enum: REFUND_PENDING_REASONS, default: null },
    failure_code: { type: String, enum: FAILURE_CODES, default: null },
    rrn: { type: String, default: null },
    sequence: { type: Number, required: true },
    reason: { type: String, enum: REFUND_REASONS, required: true },
    note: { type: String, default: '' },
    created_at: instant,
    updated_at: instant,
    completed_at: { type: Date, default: null },
  },
  { collection: 'refunds', versionKey: false, minimize: false, strict: 'throw' },
)
refundSchema.index({ merchant_id: 1, order_id: 1 }, { name: 'order_id' })
refundSchema.index({ merchant_id: 1, refund_id: 1 }, { name: 'refund_id' })

export type RefundDocument = InferRawDocTypeFromSchema<typeof refundSchema>

/** The model on one connection; it declares the collection and its indexes. */
export function refundModel(connection: Connection) {
  return connection.model('Refund', refundSchema)
}

/** The `_id` of the refund at a position of the merchant's list. */
export function refundKey(merchantId: string, position: string): string {
  return `${merchantId}:${position}`
}

export function toRefundDocument({ merchantId, version, view }: LedgerRefund): RefundDocument {
  const { id, currency: _always, created_at, updated_at, completed_at, ...fields } = view
  return {
    _id: refundKey(merchantId, refundPosition(view)),
    merchant_id: merchantId,
    version,
    public_id: id,
    ...fields,
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
    completed_at: completed_at === null ? null : new Date(completed_at),
  }
}

export function toRefund(document: RefundDocument): LedgerRefund {
  const { merchant_id: merchantId, version } = document
  return {
    merchantId,
    version,
    view: {
      id: document.public_id,
      refund_id: document.refund_id,
      order_id: document.order_id,
      transaction_id: document.transaction_id,
      amount: document.amount,
      currency: 'INR',
      status: document.status,
      pending_reason: document.pending_reason ?? null,
      failure_code: document.failure_code ?? null,
      rrn: document.rrn ?? null,
      sequence: document.sequence,
      reason: document.reason,
      note: document.note,
      created_at: document.created_at.toISOString(),
      updated_at: document.updated_at.toISOString(),
      completed_at: document.completed_at?.toISOString() ?? null,
    },
  }
}
