import type { Connection, mongo } from 'mongoose'
import { slotOf } from '@gateway/contracts'
import { createBatcher } from '@gateway/service-kit'
import { insertBatch } from '@gateway/service-kit/mongo'
import { isAcknowledged } from '../../sending/index.ts'
import { resendOf, type Attempt, type AttemptDecision, type Delivery, type DeliveryKey } from '../domain/delivery.ts'
import {
  attemptUpdate,
  deliveryCollection,
  resendUpdate,
  stateFields,
  toDelivery,
  toDocument,
  type DeliveryDocument,
} from './delivery-document.ts'
import { canMove, isClaimedUntil, nextAttemptIs, UNCLAIMED, withKey } from './guards.ts'

export type Deliveries = ReturnType<typeof mongoDeliveries>

/**
 * `lost`: another replica has recorded or claimed this attempt. `resendTo`: recorded, and since a resend was asked for while the attempt
 * was running, one more attempt to this URL is due now.
 */
export type Recorded = 'recorded' | 'lost' | { readonly resendTo: string }

const MAX_BATCH_SIZE = 200
const MAX_QUEUED = 5000
/** How long a record waits for others to share an insert, unless its POST waits for the record (docs/adr/0011). */
const MAX_DELAY_MS = 25
/** So many wait for no more: one insert of a hundred records costs a fraction of ten inserts of ten. */
const FLUSH_AT_SIZE = 100
/** With a small prefetch this share of it: the messages of waiting records are held, and the broker sends no others for them. */
const FLUSH_AT_SHARE = 0.25

/**
 * The record of every delivery. Records decide, messages only trigger attempts (design, section 6).
 * @param prefetch of each consumer, whose messages wait for their records
 */
export function mongoDeliveries(connection: Connection, prefetch = Infinity) {
  const records = deliveryCollection(connection)
  const insert = createBatcher<DeliveryDocument, boolean>({
    maxBatchSize: MAX_BATCH_SIZE,
    maxQueued: MAX_QUEUED,
    maxDelayMs: MAX_DELAY_MS,
    flushAtSize: Math.min(FLUSH_AT_SIZE, Math.ceil(prefetch * FLUSH_AT_SHARE)),
    run: (documents) => insertBatch(records, documents),
  })
  async function claimWhere(filter: mongo.Filter<DeliveryDocument>, until: Date): Promise<Delivery | undefined> {
    const claimed = await records.findOneAndUpdate(filter, { $set: { claimed_until: until } }, { returnDocument: 'after' })
    return claimed ? toDelivery(claimed) : undefined
  }
  return {
    /** Batched with other inserts of the same moment. False when the delivery has a record already. */
    insert: (delivery: Delivery, claimedUntil = UNCLAIMED): Promise<boolean> =>
      insert(toDocument(delivery, claimedUntil), { immediate: claimedUntil !== UNCLAIMED }),

    /** Claims attempt number `attempt` until `lease.until`; `undefined` when it is claimed, made or no longer wanted. */
    claim: (key: DeliveryKey, attempt: number, { now, until }: { now: Date; until: Date }) =>
      claimWhere({ ...canMove('claim', now), ...nextAttemptIs(key, attempt) }, until),

    /** Replaces a claim of this replica by a new one; `undefined` when another replica has claimed or recorded the attempt. */
    renewClaim: (key: DeliveryKey, attempt: number, held: { until: Date }, { until }: { until: Date }) =>
      claimWhere(isClaimedUntil(key, attempt, held.until), until),

    /** Records an attempt that was made under a claim until `claimedUntil`, and the state that follows from it. */
    record: (key: DeliveryKey, attempt: Attempt, decision: AttemptDecision, held: { now: Date; claimedUntil: Date }) =>
      recordAttempt(records, { key, attempt, decision, ...held }),

    /** @param merchantId absent when an operator asks, who knows only the id: then every shard is asked */
    async find(id: string, merchantId?: string): Promise<Delivery | undefined> {
      const slot = slotOf(id)
      if (slot === undefined) return undefined
      const found = await records.findOne({ ...(merchantId !== undefined && { merchant_id: merchantId }), slot, _id: id })
      return found ? toDelivery(found) : undefined
    },

    /** Makes one more attempt due now; false when the delivery changed since it was read, or an attempt is running. */
    async reopen(delivery: Delivery, url: string, now: Date): Promise<boolean> {
      const { state, attempt_count, round_start } = delivery
      // An open delivery goes on with its schedule; a closed one starts it again.
      const round = state.status === 'retrying' ? round_start : attempt_count
      const due = { ...stateFields({ status: 'retrying', next_attempt_at: now }, now), url, resend_url: null, round_start: round }
      const { matchedCount } = await records.updateOne(
        { ...withKey(delivery), ...canMove('reopen', now), status: state.status, attempt_count },
        { $set: due, $push: resendUpdate(resendOf(delivery, now)) },
      )
      return matchedCount === 1
    },

    /** Makes one more attempt due as soon as the running one is recorded; false when none is running. */
    async resendAfterRunning(delivery: Delivery, url: string, now: Date): Promise<boolean> {
      const running = { ...canMove('resendAfterwards', now), ...nextAttemptIs(delivery, delivery.attempt_count + 1) }
      const { matchedCount } = await records.updateOne(running, { $set: { resend_url: url } })
      return matchedCount === 1
    },
  }
}

interface AttemptRecord {
  readonly key: DeliveryKey
  readonly attempt: Attempt
  readonly decision: AttemptDecision
  readonly now: Date
  /** The end of the lease under which the attempt was made. */
  readonly claimedUntil: Date
}

/**
 * Records an attempt over its own claim: one guarded update, and two more statements when a resend was asked for meanwhile.
 * An acknowledged attempt counts even when another replica holds the claim: then the delivery is delivered.
 */
async function recordAttempt(
  deliveries: mongo.Collection<DeliveryDocument>,
  { key, attempt, decision, now, claimedUntil }: AttemptRecord,
): Promise<Recorded> {
  const guard = isClaimedUntil(key, attempt.number, claimedUntil)
  const { $set: result, $push } = attemptUpdate(attempt)
  const done = { ...result, attempt_count: attempt.number, claimed_until: UNCLAIMED }
  const { matchedCount } = await deliveries.updateOne(
    { ...guard, resend_url: null },
    { $set: { ...done, ...stateFields(decision.state, now) }, $push },
  )
  if (matchedCount === 1) return 'recorded'

  const found = await deliveries.findOne(guard, { projection: { resend_url: 1, url: 1 } })
  if (!found?.resend_url) return isAcknowledged(attempt) ? recordDelivered(deliveries, { key, attempt, now }) : 'lost'
  const { resend_url: url } = found
  const state = stateFields({ status: 'retrying', next_attempt_at: now }, now)
  const due = { ...state, url, resend_url: null, round_start: attempt.number }
  const resend = { at: now, url: found.url, attempt_count: attempt.number, dead_reason: null }
  const update = { $set: { ...done, ...due }, $push: { ...$push, ...resendUpdate(resend) } }
  const resent = await deliveries.updateOne({ ...guard, resend_url: url }, update)
  return resent.matchedCount === 1 ? { resendTo: url } : 'lost'
}

/** Closes a delivery of which another replica holds the claim, or has recorded a failure. A resend that waits stays due. */
async function recordDelivered(
  deliveries: mongo.Collection<DeliveryDocument>,
  { key, attempt, now }: Pick<AttemptRecord, 'key' | 'attempt' | 'now'>,
): Promise<Recorded> {
  const { $set: result, $push } = attemptUpdate(attempt)
  // An attempt of an earlier round says nothing about a delivery that was reopened since.
  const open = { ...withKey(key), ...canMove('acknowledge', now), resend_url: null, round_start: { $lt: attempt.number } }
  const done = { ...result, ...stateFields({ status: 'delivered' }, now), claimed_until: UNCLAIMED }
  const { matchedCount } = await deliveries.updateOne(open, { $set: done, $max: { attempt_count: attempt.number }, $push })
  return matchedCount === 1 ? 'recorded' : 'lost'
}
