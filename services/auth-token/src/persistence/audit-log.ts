import mongoose, { type Connection } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'

/** Who did what to whom; never a secret. */
export interface AuditEntry {
  readonly at: Date
  readonly who: 'operator'
  readonly action: 'merchant.create' | 'merchant.list' | 'credential.create' | 'credential.revoke' | 'master-keys.reseal'
  readonly outcome: 'asked' | 'done' | 'refused'
  readonly merchantId: string | null
  readonly keyId: string | null
  readonly requestId: string | null
}

interface AuditDocument {
  at: Date
  who: AuditEntry['who']
  action: AuditEntry['action']
  outcome: AuditEntry['outcome']
  merchant_id: string | null
  key_id: string | null
  request_id: string | null
}

const auditSchema = new mongoose.Schema<AuditDocument>(
  { at: Date, who: String, action: String, outcome: String, merchant_id: String, key_id: String, request_id: String },
  { collection: 'audit_log', strictQuery: 'throw', versionKey: false },
)
auditSchema.index({ merchant_id: 1, at: 1 })

export function auditModel(connection: Connection) {
  return connection.model('AuditEntry', auditSchema)
}

/** Entries are only ever added. */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>
}

export function mongoAuditLog(connection: Connection): AuditLog {
  const collection = driverCollection<AuditDocument>(connection, 'audit_log')
  return {
    async append({ at, who, action, outcome, merchantId, keyId, requestId }) {
      await collection.insertOne({
        at,
        who,
        action,
        outcome,
        merchant_id: merchantId,
        key_id: keyId,
        request_id: requestId,
      })
    },
  }
}
