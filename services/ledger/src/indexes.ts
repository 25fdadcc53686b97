import mongoose, { type Connection } from 'mongoose'
import { indexesOfModel, PRESENT, type OwnIndexes } from '@gateway/service-kit/mongo'

const { Schema } = mongoose

/** The indexes of each collection. A partial one holds only the documents with its field. */
const SCHEMAS = {
  Payment: new Schema({}, { collection: 'payments' })
    .index({ merchant_id: 1, status: 1, _id: 1 }, { name: 'status' })
    .index({ merchant_id: 1, refund_state: 1, _id: 1 }, { name: 'refund_state' })
    .index({ merchant_id: 1, order_id: 1 }, { name: 'order_id' })
    .index({ merchant_id: 1, payer_hash: 1 }, partial('payer_hash')),
  Refund: new Schema({}, { collection: 'refunds' })
    .index({ merchant_id: 1, order_id: 1 }, { name: 'order_id' })
    .index({ merchant_id: 1, refund_id: 1 }, { name: 'refund_id' }),
  Entry: new Schema({}, { collection: 'entries' })
    .index({ line_key: 1 }, { name: 'line_key' })
    .index({ merchant_id: 1, at: 1 }, { name: 'at' })
    .index({ kind: 1, unsettled_since: 1 }, partial('unsettled_since')),
  Difference: new Schema({}, { collection: 'differences' }).index({ class: 1 }, partial('open')),
  Settlement: new Schema({}, { collection: 'settlements' })
    .index({ merchant_id: 1, settlement_id: 1 }, { name: 'settlement_id' })
    .index({ stale: 1 }, partial('stale')),
}

function partial(field: string) {
  return { name: field, partialFilterExpression: { [field]: PRESENT } }
}

/** The indexes without which this service does not start. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return Object.entries(SCHEMAS).map(([name, schema]) => indexesOfModel(connection.model(name, schema)))
}
