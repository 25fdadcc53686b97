import type { Connection } from 'mongoose'
import type { Queue } from '@gateway/messaging'
import { waitQueueModel, type WaitQueueDocument } from './wait-queue-model.ts'

/** A broker queue in which attempts wait for their delay. The service remembers its name, since AMQP cannot list queues. */
export interface WaitQueue {
  /** Without a dead route: no consumer reads it. */
  readonly queue: Omit<Queue, 'deadRoute'>
  /** When a running replica last had it in its configuration. */
  readonly inUseAt: Date
  /** Since when nothing is routed to it; `null` while it may get messages. */
  readonly cutOffAt: Date | null
}

export interface WaitQueues {
  /** Remembers that these are in use now. */
  keep(queues: readonly Queue[], now: Date): Promise<void>
  all(): Promise<WaitQueue[]>
  /** False when it was used since it was read, or is forgotten. */
  isUnchanged(queue: WaitQueue): Promise<boolean>
  /** True when a replica has named it since it was read. */
  isUsedSince(queue: WaitQueue): Promise<boolean>
  /** Records that nothing is routed to it; false when it was used since it was read. */
  cutOff(queue: WaitQueue, now: Date): Promise<boolean>
  /** Does nothing when it was used since it was read. */
  forget(queue: WaitQueue): Promise<void>
}

/** Far more than the delays of all schedules that a deployment ever had. */
const MAX_QUEUES = 1000

export function mongoWaitQueues(connection: Connection): WaitQueues {
  const queues = waitQueueModel(connection)
  const unchanged = ({ queue, inUseAt }: WaitQueue) => ({ _id: queue.name, in_use_at: inUseAt })
  return {
    async keep(inUse, now) {
      if (inUse.length === 0) return
      const updates = inUse.map(({ name, arguments: given, bindings }) => ({
        updateOne: {
          filter: { _id: name },
          update: { $set: { arguments: given, bindings: [...bindings], in_use_at: now, cut_off_at: null } },
          upsert: true,
        },
      }))
      await queues.bulkWrite(updates, { ordered: false })
    },

    async all() {
      return (await queues.find().sort({ _id: 1 }).limit(MAX_QUEUES).lean<WaitQueueDocument[]>()).map(toWaitQueue)
    },

    isUnchanged: async (queue) => (await queues.exists(unchanged(queue))) !== null,

    isUsedSince: async ({ queue, inUseAt }) => (await queues.exists({ _id: queue.name, in_use_at: { $gt: inUseAt } })) !== null,

    async cutOff(queue, now) {
      return (await queues.updateOne(unchanged(queue), { $set: { cut_off_at: now } })).matchedCount === 1
    },

    async forget(queue) {
      await queues.deleteOne(unchanged(queue))
    },
  }
}

function toWaitQueue({ _id: name, arguments: given, bindings, in_use_at, cut_off_at }: WaitQueueDocument): WaitQueue {
  return { queue: { name, arguments: given, bindings }, inUseAt: in_use_at, cutOffAt: cut_off_at ?? null }
}
