import type { Connection } from 'mongoose'
import { createBatcher } from '@gateway/service-kit'
import { driverCollection } from '@gateway/service-kit/mongo'
import type { Attempt, DeadReason } from '../domain/delivery.ts'
import { attemptUpdate, nextAttemptIs, stateFields } from './delivery-mapping.ts'
import { DELIVERIES, deliveryModel, type DeliveryDocument } from './delivery-model.ts'

/** An attempt of an open delivery that has not been made and that no replica has claimed. */
export interface PendingAttempt {
  readonly deliveryId: string
  readonly attempt: number
  readonly url: string
}

/** Changes of a delivery without an attempt. */
export interface PendingAttempts {
  /**
   * Records that the attempt is due at `until`. Batched with other delays of the same moment. False when the record has moved
   * on or waits for another copy of the message: resends, the sweep and redelivery make copies. True, too, when the record lacks
   * what was stored before the message was published: during a failover the primary that is left may answer from the past.
   */
  delay(attempt: PendingAttempt, until: Date, now: Date): Promise<boolean>
  /** Ends the delivery without the attempt; false when the record has moved on. */
  markDead(attempt: PendingAttempt, why: { note: Attempt; reason: DeadReason }, now: Date): Promise<boolean>
}

interface DelayedAttempt {
  readonly attempt: PendingAttempt
  readonly until: Date
  readonly now: Date
}

/**
 * Allowed clock difference between replicas. A retry message that would move its record's `next_attempt_at`, but arrives earlier than
 * that minus this, is a duplicate and is dropped. Delayed duplicates would accumulate while an endpoint is down.
 */
const MAX_CLOCK_SKEW_MS = 5000

const MAX_BATCH_SIZE = 200
/** How long a delay waits for others to share its read and its write. It is much shorter than the delays that are recorded. */
const MAX_DELAY_MS = 100
const FLUSH_AT_SIZE = 50
const MAX_QUEUED = 5000

export function mongoPendingAttempts(connection: Connection): PendingAttempts {
  const deliveries = deliveryModel(connection)
  // While an endpoint is down this is most of the database's work: the bulk write goes to the driver, for speed.
  const driver = driverCollection<DeliveryDocument>(connection, DELIVERIES)

  /** A bulk write does not say which of its updates matched, so the records are read first. */
  async function stillWaiting(delays: readonly DelayedAttempt[]): Promise<(one: DelayedAttempt) => boolean> {
    const ids = delays.map(({ attempt }) => attempt.deliveryId)
    const found = await deliveries
      .find({ _id: { $in: ids } }, WAITING_FIELDS, { batchSize: ids.length + 1 })
      .lean<WaitingDocument[]>()
    const records = new Map(found.map((record) => [record._id, record]))
    return (delay) => waitsFor(records.get(delay.attempt.deliveryId), delay)
  }

  const delay = createBatcher<DelayedAttempt, boolean>({
    maxBatchSize: MAX_BATCH_SIZE,
    maxQueued: MAX_QUEUED,
    maxDelayMs: MAX_DELAY_MS,
    flushAtSize: FLUSH_AT_SIZE,
    run: async (delays) => {
      const waiting = withoutCopies(delays.filter(await stillWaiting(delays)))
      const updates = [...waiting].map(toUpdate)
      if (updates.length > 0) await driver.bulkWrite(updates.toSorted(byId), { ordered: false })
      return delays.map((one) => ({ status: 'fulfilled', value: waiting.has(one) }))
    },
  })
  return {
    delay: (attempt, until, now) => delay({ attempt, until, now }),

    async markDead(attempt, { note, reason }, now) {
      const { $set, $push } = attemptUpdate(note)
      const dead = { $set: { ...$set, ...stateFields({ status: 'dead', reason }, now) }, $push }
      const { matchedCount } = await deliveries.updateOne(isPending(attempt, now), dead)
      return matchedCount === 1
    },
  }
}

const WAITING_FIELDS = { status: 1, attempt_count: 1, url: 1, next_attempt_at: 1, claimed_until: 1 } as const
type WaitingDocument = Pick<DeliveryDocument, '_id' | keyof typeof WAITING_FIELDS>

function isPending({ deliveryId, attempt, url }: PendingAttempt, now: Date) {
  return { ...nextAttemptIs(deliveryId, attempt), url, claimed_until: { $lte: now } }
}

function waitsFor(record: WaitingDocument | undefined, { attempt, now }: DelayedAttempt): boolean {
  if (!record || record.attempt_count < attempt.attempt - 1) return true
  if (record.status !== 'retrying' || record.attempt_count >= attempt.attempt) return false
  if (record.url !== attempt.url || record.claimed_until > now) return false
  return (record.next_attempt_at?.getTime() ?? 0) <= now.getTime() + MAX_CLOCK_SKEW_MS
}

/** The first delay of each attempt: the broker returns copies of one message in the same moment. */
function withoutCopies(delays: readonly DelayedAttempt[]): Set<DelayedAttempt> {
  const byAttempt = Map.groupBy(delays, ({ attempt }) => `${attempt.deliveryId}#${attempt.attempt}`)
  return new Set([...byAttempt.values()].flatMap(([first]) => first ?? []))
}

function toUpdate({ attempt, until, now }: DelayedAttempt) {
  return { updateOne: { filter: isPending(attempt, now), update: { $set: { next_attempt_at: until } } } }
}

/** Two replicas that delay the same deliveries lock them in the same order, so they cannot deadlock. */
function byId(one: ReturnType<typeof toUpdate>, other: ReturnType<typeof toUpdate>): number {
  return one.updateOne.filter._id < other.updateOne.filter._id ? -1 : 1
}
