import type { Connection } from 'mongoose'
import { ownSlotsOf } from '@gateway/contracts'
import { createBatcher } from '@gateway/service-kit'
import { byId } from '@gateway/service-kit/mongo'
import type { Attempt, DeadReason } from '../domain/delivery.ts'
import { attemptUpdate, deliveryCollection, stateFields, type DeliveryDocument } from './delivery-document.ts'
import { canMove, nextAttemptIs } from './guards.ts'

/** An attempt of an open delivery that has not been made and that no replica has claimed. */
export interface PendingAttempt {
  readonly deliveryId: string
  readonly merchantId: string
  readonly attempt: number
  readonly url: string
}

export type PendingAttempts = ReturnType<typeof mongoPendingAttempts>

interface ParkedAttempt {
  readonly attempt: PendingAttempt
  readonly until: Date
  readonly now: Date
}

/**
 * Allowed clock difference between replicas. A retry message that would move its record's `next_attempt_at`, but arrives earlier than
 * that minus this, is a duplicate and is dropped. Parked duplicates would accumulate while an endpoint is down.
 */
const MAX_CLOCK_SKEW_MS = 5000

/** Parking waits for others to share its read and its write: much shorter than the times that are recorded. */
const BATCH = { maxBatchSize: 200, maxQueued: 5000, maxDelayMs: 100, flushAtSize: 50 } as const

/** Changes of a delivery without an attempt. */
export function mongoPendingAttempts(connection: Connection) {
  const deliveries = deliveryCollection(connection)

  function recordsOf([merchant_id, parked]: readonly [string, readonly ParkedAttempt[]]): Promise<WaitingDocument[]> {
    const ids = parked.map(({ attempt }) => attempt.deliveryId)
    const these = { merchant_id, slot: { $in: ownSlotsOf(ids) }, _id: { $in: ids } }
    return deliveries.find(these, { projection: WAITING_FIELDS, batchSize: ids.length + 1 }).toArray()
  }

  /** A bulk write does not say which of its updates matched, so the records are read first. */
  async function stillWaiting(parked: readonly ParkedAttempt[]): Promise<(parked: ParkedAttempt) => boolean> {
    // One command a merchant: merchants times slots would be shards that have none of the records.
    const byMerchant = Map.groupBy(parked, ({ attempt }) => attempt.merchantId)
    const found = (await Promise.all([...byMerchant].map(recordsOf))).flat()
    const records = new Map(found.map((record) => [record._id, record]))
    return (each) => waitsFor(records.get(each.attempt.deliveryId), each)
  }

  const park = createBatcher<ParkedAttempt, boolean>({
    ...BATCH,
    run: async (parked) => {
      const waiting = withoutCopies(parked.filter(await stillWaiting(parked)))
      // Two replicas that park the same deliveries lock them in the same order, so they cannot deadlock.
      const updates = [...waiting].map(toUpdate).toSorted((one, other) => byId(one.updateOne.filter, other.updateOne.filter))
      if (updates.length > 0) await deliveries.bulkWrite(updates, { ordered: false })
      return parked.map((each) => ({ status: 'fulfilled', value: waiting.has(each) }))
    },
  })
  return {
    /**
     * Records that the attempt is parked until `until`. Batched with others of the same moment. False when the record has moved
     * on or waits for another copy of the message: resends, the sweep and redelivery make copies. True, too, when the record lacks
     * what was stored before the message was published: during a failover the primary that is left may answer from the past.
     */
    park: (attempt: PendingAttempt, until: Date, now: Date) => park({ attempt, until, now }),

    /** Ends the delivery without the attempt; false when the record has moved on. */
    async giveUp(attempt: PendingAttempt, { note, reason }: { note: Attempt; reason: DeadReason }, now: Date): Promise<boolean> {
      const { $set, $push } = attemptUpdate(note)
      const dead = { $set: { ...$set, ...stateFields({ status: 'dead', reason }, now) }, $push }
      const { matchedCount } = await deliveries.updateOne(isPending('giveUp', attempt, now), dead)
      return matchedCount === 1
    },
  }
}

const WAITING_FIELDS = { status: 1, attempt_count: 1, url: 1, next_attempt_at: 1, claimed_until: 1 } as const
type WaitingDocument = Pick<DeliveryDocument, '_id' | keyof typeof WAITING_FIELDS>

function isPending(move: 'park' | 'giveUp', { deliveryId, merchantId, attempt, url }: PendingAttempt, now: Date) {
  return { ...canMove(move, now), ...nextAttemptIs({ id: deliveryId, merchant_id: merchantId }, attempt), url }
}

function waitsFor(record: WaitingDocument | undefined, { attempt, now }: ParkedAttempt): boolean {
  if (!record || record.attempt_count < attempt.attempt - 1) return true
  if (record.status !== 'retrying' || record.attempt_count >= attempt.attempt) return false
  if (record.url !== attempt.url || record.claimed_until > now) return false
  return (record.next_attempt_at?.getTime() ?? 0) <= now.getTime() + MAX_CLOCK_SKEW_MS
}

/** The first of each attempt: the broker returns copies of one message in the same moment. */
function withoutCopies(parked: readonly ParkedAttempt[]): Set<ParkedAttempt> {
  const byAttempt = Map.groupBy(parked, ({ attempt }) => `${attempt.deliveryId}#${attempt.attempt}`)
  return new Set([...byAttempt.values()].flatMap(([first]) => first ?? []))
}

function toUpdate({ attempt, until, now }: ParkedAttempt) {
  return { updateOne: { filter: isPending('park', attempt, now), update: { $set: { next_attempt_at: until } } } }
}
