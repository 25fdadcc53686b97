import type { Connection } from 'mongoose'
import type { Downtime } from '@gateway/contracts'
import { driverCollection } from '@gateway/service-kit/mongo'

/** All downtimes, in one document. */
interface DowntimesDocument {
  readonly _id: 'all'
  readonly list: readonly Downtime[]
}

/** The downtimes that testers have set. All replicas read the same ones. */
export function mongoDowntimes(connection: Connection) {
  const collection = driverCollection<DowntimesDocument>(connection, 'downtimes')
  return {
    list: async (): Promise<readonly Downtime[]> => (await collection.findOne({ _id: 'all' }))?.list ?? [],
    /** Replaces all of them. */
    async set(list: readonly Downtime[]): Promise<void> {
      await collection.updateOne({ _id: 'all' }, { $set: { list } }, { upsert: true })
    },
  }
}
