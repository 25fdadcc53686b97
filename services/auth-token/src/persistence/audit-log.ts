import mongoose, { type Connection } from 'mongoose'
import { AUDIT_OUTCOMES, type AuditRecord } from '@gateway/contracts'

/** A place in the audit: the entry with this time and id. */
export interface AuditPosition {
  readonly at: Date
  readonly id: string
}

/** `count`: how often it happened within the minute; more than 1 only for failed authentications. */
export type StoredAuditEntry = AuditRecord & AuditPosition & { readonly count: number }

export interface AuditFilter {
  /** Of all merchants when left out. */
  readonly merchantId?: string | undefined
  readonly from: Date
  /** Not included. */
  readonly to: Date
  /** Only entries that are older than this one. */
  readonly after?: AuditPosition | undefined
}

/** The log has no update and no delete. */
export interface AuditLog {
  append(entry: AuditRecord & { readonly at: Date; readonly count?: number }): Promise<void>
  /** At most `limit` entries, newest first. */
  page(filter: AuditFilter, limit: number): Promise<StoredAuditEntry[]>
}

const text = { type: String, required: true } as const
const textOrNull = { type: String, default: null } as const

const auditSchema = mongoose.Schema.create(
  {
    at: { type: Date, required: true },
    who: text,
    action: text,
    outcome: { type: String, enum: AUDIT_OUTCOMES, required: true },
    merchant_id: textOrNull,
    request_id: textOrNull,
    target: textOrNull,
    credential_id: textOrNull,
    address_prefix: textOrNull,
    count: { type: Number, default: 1 },
  },
  { collection: 'audit_log', strict: 'throw', strictQuery: 'throw', versionKey: false },
)
auditSchema.index({ merchant_id: 1, at: 1 })
auditSchema.index({ at: 1 })

export function auditModel(connection: Connection) {
  return connection.model('AuditEntry', auditSchema)
}

export function mongoAuditLog(connection: Connection): AuditLog {
  const model = auditModel(connection)
  return {
    async append(entry) {
      await model.create(entry)
    },
    async page({ merchantId, from, to, after }, limit) {
      const found = await model
        .find({ ...(merchantId !== undefined && { merchant_id: merchantId }), at: { $gte: from, $lt: to }, ...olderThan(after) })
        .sort({ at: -1, _id: -1 })
        .limit(limit)
        .lean()
      return found.map(({ _id, target, merchant_id, credential_id, address_prefix, request_id, ...rest }) => ({
        ...rest,
        id: String(_id),
        target: target ?? null,
        merchant_id: merchant_id ?? null,
        credential_id: credential_id ?? null,
        address_prefix: address_prefix ?? null,
        request_id: request_id ?? null,
      }))
    },
  }
}

function olderThan(position: AuditPosition | undefined) {
  if (!position) return {}
  const { at, id } = position
  return { $or: [{ at: { $lt: at } }, { at, _id: { $lt: new mongoose.Types.ObjectId(id) } }] }
}
