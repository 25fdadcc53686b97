import type { Connection } from 'mongoose'
import { indexesOfCollection, type OwnIndex, type OwnIndexes } from '@gateway/service-kit/mongo'
import { deliveryCollection } from './delivery-document.ts'

const NEWEST_FIRST = { created_at: -1, _id: -1 } as const
const INDEXES: readonly OwnIndex[] = [
  // A merchant's list, newest first; the same for one order.
  { name: 'of_merchant', key: { merchant_id: 1, ...NEWEST_FIRST } },
  { name: 'of_order', key: { merchant_id: 1, order_id: 1, ...NEWEST_FIRST } },
  // The sweep and operators' lists read few of many records.
  { name: 'sweep', key: { next_attempt_at: 1 }, partialFilterExpression: { status: 'retrying' } },
  ...(['dead', 'retrying'] as const).flatMap((status): OwnIndex[] => [
    { name: status, key: NEWEST_FIRST, partialFilterExpression: { status } },
    { name: `${status}_of_merchant`, key: { merchant_id: 1, ...NEWEST_FIRST }, partialFilterExpression: { status } },
  ]),
]

const RETENTION = 'retention'
const INDEX_OPTIONS_CONFLICT = 85

/**
 * The indexes of deliveries. Through the last one the database removes deliveries that finished longer ago than the retention: only
 * delivered and dead ones have `finished_at`. A changed retention changes that index, also for existing records.
 */
export function deliveryIndexes(connection: Connection, retentionMs: number): OwnIndexes[] {
  const deliveries = deliveryCollection(connection)
  const retention = { name: RETENTION, expireAfterSeconds: Math.floor(retentionMs / 1000) }
  const byRetention = indexesOfCollection(deliveries, [{ key: { finished_at: 1 }, ...retention }])
  return [
    indexesOfCollection(deliveries, INDEXES),
    {
      ...byRetention,
      build: () =>
        byRetention.build().catch((error: unknown) => {
          if (!isConflict(error)) throw error
          return connection.db?.command({ collMod: deliveries.collectionName, index: retention })
        }),
    },
  ]
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === INDEX_OPTIONS_CONFLICT
}
