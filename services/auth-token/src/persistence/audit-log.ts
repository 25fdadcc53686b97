import mongoose, { type Connection } from 'mongoose'

const ACTIONS = ['merchant.create', 'merchant.list', 'credential.create', 'credential.revoke', 'master-keys.reseal'] as const
const OUTCOMES = ['asked', 'done', 'refused'] as const

/** One action of an operator, and its outcome; never a secret. */
export interface AuditEntry {
  readonly at: Date
  readonly who: 'operator'
  readonly action: (typeof ACTIONS)[number]
  readonly outcome: (typeof OUTCOMES)[number]
  readonly merchantId: string | null
  readonly keyId: string | null
  readonly requestId: string | null
}

const textOrNull = { type: String, default: null } as const

const auditSchema = mongoose.Schema.create(
  {
    at: { type: Date, required: true },
    who: { type: String, enum: ['operator'] as const, required: true },
    action: { type: String, enum: ACTIONS, required: true },
    outcome: { type: String, enum: OUTCOMES, required: true },
    merchant_id: textOrNull,
    key_id: textOrNull,
    request_id: textOrNull,
  },
  { collection: 'audit_log', strict: 'throw', strictQuery: 'throw', versionKey: false },
)
auditSchema.index({ merchant_id: 1, at: 1 })

export function auditModel(connection: Connection) {
  return connection.model('AuditEntry', auditSchema)
}

/** The log has no update and no delete. */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>
}

export function mongoAuditLog(connection: Connection): AuditLog {
  const model = auditModel(connection)
  return {
    async append({ at, who, action, outcome, merchantId, keyId, requestId }) {
      await model.create({ at, who, action, outcome, merchant_id: merchantId, key_id: keyId, request_id: requestId })
    },
  }
}
