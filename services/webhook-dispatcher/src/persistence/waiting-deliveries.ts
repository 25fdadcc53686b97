import type { mongo, Connection } from 'mongoose'
import { createBatcher } from '@gateway/service-kit'
import { driverCollection } from '@gateway/service-kit/mongo'
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
  /**
   * Says in the record that the attempt waits until then. Batched with what else is put off now. False when the record does
   * not wait for it any more, or waits for another wake-up of it already: resends, the sweep and the broker make copies.
   */
  postpone(attempt: WaitingAttempt, until: Date, now: Date): Promise<boolean>
  /** Dead without the attempt; false when the record does not wait for it any more. */
  bury(attempt: WaitingAttempt, why: { note: Attempt; reason: DeadReason }, now: Date): Promise<boolean>
}

interface Postponement {
  readonly attempt: WaitingAttempt
  readonly until: Date
  readonly now: Date
}

/**
 * A wake-up comes after the instant that its record waits for, as far as clocks agree. One that comes earlier by more than
 * this is a copy: were it put aside too, an endpoint that is down for days would gather them without end.
 */
const MAX_CLOCK_SKEW_MS = 5000

const MAX_BATCH = 200
const MAX_WAITING = 5000

export function mongoWaitingDeliveries(connection: Connection): WaitingDeliveries {
  const deliveries = driverCollection<DeliveryDocument>(connection, DELIVERIES)
  const postpone = createBatcher<Postponement, boolean>({
    maxBatchSize: MAX_BATCH,
    maxQueued: MAX_WAITING,
    run: async (postponements) => {
      const waits = await waitingOf(deliveries, postponements)
      const updates = postponements.filter(waits).map(toUpdate)
      if (updates.length > 0) await deliveries.bulkWrite(updates.toSorted(byKey), { ordered: false })
      return postponements.map((one) => ({ status: 'fulfilled', value: waits(one) }))
    },
  })
  return {
    postpone: (attempt, until, now) => postpone({ attempt, until, now }),

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

/** Which of them their records wait for. A bulk write would not say which of its updates found their record. */
async function waitingOf(
  deliveries: mongo.Collection<DeliveryDocument>,
  postponements: readonly Postponement[],
): Promise<(one: Postponement) => boolean> {
  const ids = postponements.map(({ attempt }) => attempt.deliveryId)
  const found = await deliveries
    .find({ _id: { $in: ids }, status: 'retrying' }, { batchSize: ids.length + 1 })
    .project<Waiting>({ attempt_count: 1, url: 1, next_attempt_at: 1, claimed_until: 1 })
    .toArray()
  const records = new Map(found.map((record) => [record._id, record]))
  return ({ attempt, now }) => {
    const record = records.get(attempt.deliveryId)
    if (record?.attempt_count !== attempt.attempt - 1 || record.url !== attempt.url || record.claimed_until > now) return false
    return (record.next_attempt_at?.getTime() ?? 0) <= now.getTime() + MAX_CLOCK_SKEW_MS
  }
}

type Waiting = Pick<DeliveryDocument, '_id' | 'attempt_count' | 'url' | 'next_attempt_at' | 'claimed_until'>

function toUpdate({ attempt, until, now }: Postponement) {
  return { updateOne: { filter: stillWaiting(attempt, now), update: { $set: { next_attempt_at: until } } } }
}

/** By key: replicas that put off the same deliveries do not wait for one another in a circle. */
function byKey(one: ReturnType<typeof toUpdate>, other: ReturnType<typeof toUpdate>): number {
  return one.updateOne.filter._id < other.updateOne.filter._id ? -1 : 1
}
