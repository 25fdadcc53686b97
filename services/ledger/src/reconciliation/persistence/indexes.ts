import mongoose, { type Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'

const { Schema } = mongoose

const entrySchema = new Schema({}, { collection: 'entries' })
  .index({ line_key: 1 }, { name: 'line_key' })
  .index({ merchant_id: 1, at: 1 }, { name: 'at' })
  .index(
    { kind: 1, unsettled_since: 1 },
    { name: 'unsettled_since', partialFilterExpression: { unsettled_since: { $exists: true } } },
  )

const differenceSchema = new Schema({}, { collection: 'differences' }).index(
  { class: 1 },
  { name: 'open', partialFilterExpression: { open: { $exists: true } } },
)

const settlementSchema = new Schema({}, { collection: 'settlements' })
  .index({ merchant_id: 1, settlement_id: 1 }, { name: 'settlement_id' })
  .index({ stale: 1 }, { name: 'stale', partialFilterExpression: { stale: { $exists: true } } })

export function reconciliationIndexes(connection: Connection): OwnIndexes[] {
  const schemas = { Entry: entrySchema, Difference: differenceSchema, Settlement: settlementSchema }
  return Object.entries(schemas).map(([name, schema]) => indexesOfModel(connection.model(name, schema)))
}
