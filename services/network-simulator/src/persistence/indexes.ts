import mongoose, { type Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'

const paymentSchema = new mongoose.Schema({}, { collection: 'payments' })
  .index({ tr: 1, created_at: 1 })
  // Most payments have no callback left to send; the index leaves them out.
  .index({ next_due_at: 1 }, { partialFilterExpression: { next_due_at: { $type: 'date' } } })
  // One payment per attempt, however often and on however many replicas the attempt is started.
  .index({ 'start.attempt_id': 1 }, { unique: true, partialFilterExpression: { 'start.attempt_id': { $exists: true } } })
  .index({ 'page.token': 1 }, { unique: true, partialFilterExpression: { 'page.token': { $exists: true } } })

/** The indexes without which this service does not start. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [indexesOfModel(connection.model('Payment', paymentSchema))]
}
