import type { Connection } from 'mongoose'
import type { Queue } from '@gateway/messaging'
import { driverCollection } from '@gateway/service-kit/mongo'

/** A retry queue or a park queue on the broker. Its name is remembered, since AMQP cannot list queues. */
export interface DelayQueue {
  /** Without a dead route: no consumer reads it. */
  readonly queue: Omit<Queue, 'deadRoute'>
  /** When a running replica last had it in its configuration. */
  readonly in_use_at: Date
  /** Since when nothing is routed to it; `null` while it may get messages. */
  readonly cut_off_at: Date | null
}

export type DelayQueues = ReturnType<typeof mongoDelayQueues>

/** Far more than the delays of all schedules that a deployment ever had. */
const MAX_QUEUES = 1000

export function mongoDelayQueues(connection: Connection) {
  /** By the queue's name on the broker. */
  const queues = driverCollection<DelayQueue & { readonly _id: string }>(connection, 'delay_queues')
  const unchanged = ({ queue, in_use_at }: DelayQueue) => ({ _id: queue.name, in_use_at })
  return {
    /** Remembers that these are in use now. */
    async keep(inUse: readonly Queue[], now: Date): Promise<void> {
      if (inUse.length === 0) return
      const updates = inUse.map(({ deadRoute: _none, ...queue }) => {
        const update = { $set: { queue, in_use_at: now, cut_off_at: null } }
        return { updateOne: { filter: { _id: queue.name }, update, upsert: true } }
      })
      await queues.bulkWrite(updates, { ordered: false })
    },

    all: async (): Promise<DelayQueue[]> =>
      queues
        .find({}, { projection: { _id: 0 } })
        .sort({ _id: 1 })
        .limit(MAX_QUEUES)
        .toArray(),

    /** True when a replica has named it since it was read. */
    isUsedSince: async ({ queue, in_use_at }: DelayQueue): Promise<boolean> =>
      (await queues.findOne({ _id: queue.name, in_use_at: { $gt: in_use_at } })) !== null,

    /** Records that nothing is routed to it; false when it was used since it was read, or is forgotten. */
    async cutOff(queue: DelayQueue, now: Date): Promise<boolean> {
      return (await queues.updateOne(unchanged(queue), { $set: { cut_off_at: now } })).matchedCount === 1
    },

    /** Does nothing when it was used since it was read. */
    async forget(queue: DelayQueue): Promise<void> {
      await queues.deleteOne(unchanged(queue))
    },
  }
}
