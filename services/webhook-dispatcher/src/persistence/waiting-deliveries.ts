import type { mongo, Connection } from 'mongoose'
import { createGather, driverCollection } from '@gateway/service-kit'
import type { Attempt, DeadReason } from '../domain/delivery.ts'
import { attemptUpdate, stateFields } from './delivery-mapping.ts'
import { DELIVERIES, type DeliveryDocument } from './delivery-model.ts'

/** An attempt that has not been made: of an open delivery, at this URL, and nobody holds it. */
export interface WaitingAttempt {
  readonly deliveryId: string
  readonly attempt: number
  readonly url: string
}

/** What happens to a delivery without an attempt. */
export interface WaitingDeliveries {
  /** Says in the record that the attempt waits until then, if it still does. Batched with what else is put off now. */
  postpone(attempt: WaitingAttempt, until: Date, now: Date): Promise<void>
  /** Dead without the attempt; false when the record does not wait for it any more. */
  bury(attempt: WaitingAttempt, why: { note: Attempt; reason: DeadReason }, now: Date): Promise<boolean>
}

type Update = mongo.AnyBulkWriteOperation<DeliveryDocument> & { updateOne: { filter: { _id: string } } }

const MAX_BATCH = 200
const MAX_WAITING = 5000

export function mongoWaitingDeliveries(connection: Connection): WaitingDeliveries {
  const deliveries = driverCollection<DeliveryDocument>(connection, DELIVERIES)
  const update = createGather<Update, undefined>({
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    run: async (updates) => {
      // By key: replicas that put off the same deliveries do not wait for one another in a circle.
      const keyOf = (one: Update) => one.updateOne.filter._id
      await deliveries.bulkWrite(
        updates.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
        { ordered: false },
      )
      return updates.map(() => ({ status: 'fulfilled', value: undefined }))
    },
  })
  return {
    async postpone(attempt, until, now) {
      await update({ updateOne: { filter: stillWaiting(attempt, now), update: { $set: { next_attempt_at: until } } } })
    },

    async bury(attempt, { note, reason }, now) {
      const { $set, $push } = attemptUpdate(note)
      const buried = { $set: { ...$set, ...stateFields({ status: 'dead', reason }, now) }, $push }
      const { matchedCount } = await deliveries.updateOne(stillWaiting(attempt, now), buried)
      return matchedCount === 1
    },
  }
}

function stillWaiting({ deliveryId, attempt, url }: WaitingAttempt, now: Date) {
  return { _id: deliveryId, status: 'retrying', attempt_count: attempt - 1, url, claimed_until: { $lte: now } } as const
}
