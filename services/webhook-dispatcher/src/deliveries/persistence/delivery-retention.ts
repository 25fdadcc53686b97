import type { Connection } from 'mongoose'
import { driverCollection, type OwnIndexes } from '@gateway/service-kit/mongo'
import { DELIVERIES, type DeliveryDocument } from './delivery-model.ts'

const INDEX = 'retention'
const INDEX_OPTIONS_CONFLICT = 85

/**
 * Lets the database remove deliveries that finished longer ago than the retention: a TTL index on `finished_at`, which only
 * delivered and dead deliveries have. Not in the schema, since its option comes from the configuration and may change later:
 * a changed retention changes the index, also for existing records.
 */
export function deliveryRetention(connection: Connection, retentionMs: number): OwnIndexes {
  const deliveries = driverCollection<DeliveryDocument>(connection, DELIVERIES)
  const expireAfterSeconds = Math.floor(retentionMs / 1000)
  return {
    collection: DELIVERIES,
    names: [INDEX],
    async build() {
      try {
        return await deliveries.createIndex({ finished_at: 1 }, { name: INDEX, expireAfterSeconds }, {})
      } catch (error) {
        if (!isConflict(error)) throw error
        return connection.db?.command({ collMod: DELIVERIES, index: { name: INDEX, expireAfterSeconds } })
      }
    },
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === INDEX_OPTIONS_CONFLICT
}
