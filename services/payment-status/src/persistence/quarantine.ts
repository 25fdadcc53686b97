import type { Connection, mongo } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'

/** An authentic report that belongs to no order we know, or that nobody can read. */
export interface QuarantinedReport {
  /** The digest of its bytes: the same report again is the same entry. */
  readonly _id: string
  readonly reason: 'unknown_transaction' | 'unreadable'
  /** What it said; whatever could hold a card number is masked. */
  readonly excerpt: string
  readonly receivedAt: Date
}

export interface Quarantine {
  /** False when this very report is there already. */
  add(report: QuarantinedReport): Promise<boolean>
}

export function mongoQuarantine(connection: Connection): Quarantine {
  const collection: mongo.Collection<QuarantinedReport> = driverCollection(connection, 'quarantined_reports')
  return {
    async add({ _id, ...fields }) {
      const result = await collection.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true })
      return result.upsertedCount === 1
    },
  }
}
