import { randomBytes } from 'node:crypto'
import type { Connection, mongo } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'

interface ReplicaDocument extends mongo.Document {
  readonly _id: string
  readonly as_of: Date
  readonly shared_at: Date
}

/**
 * A replica that is silent for so long holds no event any more: the broker closes its connection after half a minute without a
 * heartbeat and delivers its events to others, and without the database it gives them back by itself.
 */
const SILENT_MS = 2 * 60_000

export type Replicas = ReturnType<typeof mongoReplicas>

/** Up to when each replica of the ledger has stored the events that it got, shared among all of them. */
export function mongoReplicas(connection: Connection) {
  const collection = driverCollection<ReplicaDocument>(connection, 'replicas')
  const _id = randomBytes(9).toString('base64url')
  return {
    /** Shares this replica's time, and resolves to the earliest of the others; `undefined` when there is none. */
    async share(asOf: Date, now: Date): Promise<Date | undefined> {
      await collection.updateOne({ _id }, { $set: { as_of: asOf, shared_at: now } }, { upsert: true })
      const others = await collection.find({ _id: { $ne: _id } }).toArray()
      const silentSince = new Date(now.getTime() - SILENT_MS)
      const present = others.filter(({ shared_at }) => shared_at >= silentSince)
      if (present.length < others.length) await collection.deleteMany({ shared_at: { $lt: silentSince } })
      const times = present.map(({ as_of }) => as_of.getTime())
      return times.length === 0 ? undefined : new Date(Math.min(...times))
    },
    /** For a replica that holds no event any more. */
    async leave(): Promise<void> {
      await collection.deleteOne({ _id })
    },
  }
}
