import type { Connection, mongo } from 'mongoose'
import { ONE_PARTITION, type PartitionCounts } from '@gateway/messaging'
import { driverCollection } from '@gateway/service-kit/mongo'
import type { ReplicaReport } from './steps.ts'

interface CountsDocument extends mongo.Document, Partial<PartitionCounts> {
  readonly _id: 'counts'
}

interface ReplicaDocument extends mongo.Document, ReplicaReport {
  readonly _id: string
  readonly at: Date
}

/**
 * A replica that is silent for so long holds no message any more: the broker closes its connection after half a minute without a
 * heartbeat and gives its messages to others.
 */
const SILENT_MS = 60_000

export type PartitionStore = ReturnType<typeof mongoPartitions>

/** In a service's own database: how many partitions it has, and what its replicas say. */
export function mongoPartitions(connection: Connection) {
  const counts = driverCollection<CountsDocument>(connection, 'partitions')
  const replicas = driverCollection<ReplicaDocument>(connection, 'partition_replicas')
  const silentSince = (now: Date): Date => new Date(now.getTime() - SILENT_MS)
  return {
    async read(): Promise<PartitionCounts> {
      const found = await counts.findOne({ _id: 'counts' })
      return { consumed: found?.consumed ?? ONE_PARTITION.consumed, open: found?.open ?? ONE_PARTITION.open }
    },
    /** Records the number of a new deployment; changes nothing in one that has a number. */
    async begin(partitions: number): Promise<void> {
      const first = { $setOnInsert: { consumed: partitions, open: partitions } }
      await counts.updateOne({ _id: 'counts' }, first, { upsert: true })
    },
    async record(changed: Partial<PartitionCounts>): Promise<void> {
      await counts.updateOne({ _id: 'counts' }, { $set: changed }, { upsert: true })
    },
    /** Stores what a replica says, and forgets silent replicas. */
    async report(replicaId: string, report: ReplicaReport, now: Date): Promise<void> {
      await replicas.updateOne({ _id: replicaId }, { $set: { ...report, at: now } }, { upsert: true })
      await replicas.deleteMany({ at: { $lt: silentSince(now) } })
    },
    /** For a replica that has stopped. */
    async leave(replicaId: string): Promise<void> {
      await replicas.deleteOne({ _id: replicaId })
    },
    /** What each running replica says. */
    async replicas(now: Date): Promise<ReplicaReport[]> {
      const projection = { _id: 0, consumes: 1, publishes: 1 }
      return replicas.find({ at: { $gte: silentSince(now) } }, { projection }).toArray()
    },
  }
}
