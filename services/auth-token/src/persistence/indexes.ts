import mongoose, { type Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'

const { Schema } = mongoose

/** Documents are `Merchant` (domain/merchant.ts). */
const merchantSchema = new Schema({}, { collection: 'merchants' })
  .index({ 'credentials.key_id': 1 }, { unique: true })
  .index({ 'credentials.revoked_at': 1 })

/** Documents are `AuditEntry` (audit-log.ts). */
const auditSchema = new Schema({}, { collection: 'audit_log' }).index({ merchant_id: 1, at: 1 }).index({ at: 1 })

/** The indexes that this service needs before it starts. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  const schemas = { Merchant: merchantSchema, AuditEntry: auditSchema }
  return Object.entries(schemas).map(([name, schema]) => indexesOfModel(connection.model(name, schema)))
}
