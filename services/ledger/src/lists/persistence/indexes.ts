import mongoose, { type Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'

const { Schema } = mongoose

/** Documents are `Payment` (domain/payment.ts). The partial index holds only payments whose payer is known. */
const paymentSchema = new Schema({}, { collection: 'payments' })
  .index({ merchant_id: 1, status: 1, _id: 1 }, { name: 'status' })
  .index({ merchant_id: 1, refund_state: 1, _id: 1 }, { name: 'refund_state' })
  .index({ merchant_id: 1, order_id: 1 }, { name: 'order_id' })
  .index({ merchant_id: 1, payer_hash: 1 }, { name: 'payer_hash', partialFilterExpression: { payer_hash: { $exists: true } } })

/** Documents are `LedgerRefund` (domain/refund.ts). */
const refundSchema = new Schema({}, { collection: 'refunds' })
  .index({ merchant_id: 1, order_id: 1 }, { name: 'order_id' })
  .index({ merchant_id: 1, refund_id: 1 }, { name: 'refund_id' })

export function listIndexes(connection: Connection): OwnIndexes[] {
  const schemas = { Payment: paymentSchema, Refund: refundSchema }
  return Object.entries(schemas).map(([name, schema]) => indexesOfModel(connection.model(name, schema)))
}
