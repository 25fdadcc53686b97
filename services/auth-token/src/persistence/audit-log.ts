import { mongo, type Connection } from 'mongoose'
import type { AuditRecord } from '@gateway/contracts'
import { driverCollection } from '@gateway/service-kit/mongo'

/** A place in the audit: the entry with this time and id. */
export interface AuditPosition {
  readonly at: Date
  readonly id: string
}

export type AuditEntry = AuditRecord & {
  readonly at: Date
  /** How often it happened within the minute; more than 1 only for failed authentications. */
  readonly count: number
}

export type StoredAuditEntry = AuditEntry & AuditPosition

export interface AuditFilter {
  /** Of all merchants when left out. */
  readonly merchantId?: string | undefined
  readonly from: Date
  /** Not included. */
  readonly to: Date
  /** Only entries that are older than this one. */
  readonly after?: AuditPosition | undefined
}

export type AuditLog = ReturnType<typeof mongoAuditLog>

/** The log has no update and no delete. */
export function mongoAuditLog(connection: Connection) {
  const entries = driverCollection<AuditEntry>(connection, 'audit_log')
  return {
    async append(entry: AuditRecord & { readonly at: Date; readonly count?: number }): Promise<void> {
      await entries.insertOne({ count: 1, ...entry })
    },
    /** At most `limit` entries, newest first. */
    async page({ merchantId, from, to, after }: AuditFilter, limit: number): Promise<StoredAuditEntry[]> {
      const ofMerchant = merchantId === undefined ? {} : { merchant_id: merchantId }
      const found = await entries
        .find({ ...ofMerchant, at: { $gte: from, $lt: to }, ...olderThan(after) })
        .sort({ at: -1, _id: -1 })
        .limit(limit)
        .toArray()
      return found.map(({ _id, ...entry }) => ({ ...entry, id: String(_id) }))
    },
  }
}

function olderThan(position: AuditPosition | undefined) {
  if (!position) return {}
  const { at, id } = position
  return { $or: [{ at: { $lt: at } }, { at, _id: { $lt: new mongo.ObjectId(id) } }] }
}
