import type { mongo, Connection } from 'mongoose'
import { createBatcher } from '@gateway/service-kit'
import { driverCollection, insertBatch } from '@gateway/service-kit/mongo'
import type { Attempt, AttemptDecision, Delivery } from '../domain/delivery.ts'
import { attemptUpdate, stateFields, toDelivery, toDocument, UNCLAIMED } from './delivery-mapping.ts'
import { DELIVERIES, type DeliveryDocument } from './delivery-model.ts'

/** `resendTo`: recorded, and one more attempt is due there at once, since a resend was asked for meanwhile. */
export type Recorded = 'recorded' | 'lost' | { readonly resendTo: string }

/** The record of every delivery: the truth that messages only wake up (design, section 6). */
export interface Deliveries {
  /** Batched with whatever else is inserted now. False when the delivery has a record already. */
  insert(delivery: Delivery, claimedUntil?: Date): Promise<boolean>
  /** Takes attempt number `attempt` for itself until `leaseUntil`; `undefined` when it is taken, made or not wanted any more. */
  claim(id: string, attempt: number, lease: { now: Date; until: Date }): Promise<Delivery | undefined>
  /** Records an attempt and what it leads to; `lost` when this attempt has been recorded by another. */
  record(id: string, attempt: Attempt, decision: AttemptDecision, now: Date): Promise<Recorded>
  find(id: string): Promise<Delivery | undefined>
  /** Makes one more attempt due now; false when the delivery has changed since it was read, or an attempt is running. */
  reopen(delivery: Delivery, url: string, now: Date): Promise<boolean>
  /** Makes one more attempt due as soon as the running one is recorded; false when none is running. */
  resendAfterRunning(delivery: Delivery, url: string, now: Date): Promise<boolean>
}

const MAX_BATCH = 200
const MAX_WAITING = 5000
/** How long a record waits for others to be inserted with, while there are few, unless its POST waits for it (docs/adr/0011). */
const LINGER_MS = 25

export function mongoDeliveries(connection: Connection): Deliveries {
  const deliveries = driverCollection<DeliveryDocument>(connection, DELIVERIES)
  const gather = createBatcher<DeliveryDocument, boolean>({
    maxBatchSize: MAX_BATCH,
    maxQueued: MAX_WAITING,
    maxDelayMs: LINGER_MS,
    flushAtSize: 8,
    run: (documents) => insertBatch(deliveries, documents),
  })
  return {
    insert: (delivery, claimedUntil = UNCLAIMED) =>
      gather(toDocument(delivery, claimedUntil), { immediate: claimedUntil !== UNCLAIMED }),

    async claim(id, attempt, { now, until }) {
      const claimed = await deliveries.findOneAndUpdate(
        { ...openAt(id, attempt), claimed_until: { $lte: now } },
        { $set: { claimed_until: until } },
        { returnDocument: 'after' },
      )
      return claimed ? toDelivery(claimed) : undefined
    },

    record: (id, attempt, decision, now) => record(deliveries, { id, attempt, decision, now }),

    async find(id) {
      const found = await deliveries.findOne({ _id: id })
      return found ? toDelivery(found) : undefined
    },

    async reopen({ id, state, attemptCount, roundStart }, url, now) {
      // While it is being retried the schedule goes on; a closed delivery begins it again.
      const round = state.status === 'retrying' ? roundStart : attemptCount
      const { matchedCount } = await deliveries.updateOne(
        { _id: id, status: state.status, attempt_count: attemptCount, claimed_until: { $lte: now } },
        { $set: { ...stateFields({ status: 'retrying', nextAttemptAt: now }, now), url, resend_url: null, round_start: round } },
      )
      return matchedCount === 1
    },

    async resendAfterRunning({ id, attemptCount }, url, now) {
      const running = { ...openAt(id, attemptCount + 1), claimed_until: { $gt: now } }
      const { matchedCount } = await deliveries.updateOne(running, { $set: { resend_url: url } })
      return matchedCount === 1
    },
  }
}

/** Open, with attempt number `attempt` as the next one: the guard that keeps retry chains from forking. */
function openAt(id: string, attempt: number) {
  return { _id: id, status: 'retrying', attempt_count: attempt - 1 } as const
}

interface AttemptRecord {
  readonly id: string
  readonly attempt: Attempt
  readonly decision: AttemptDecision
  readonly now: Date
}

async function record(
  deliveries: mongo.Collection<DeliveryDocument>,
  { id, attempt, decision, now }: AttemptRecord,
): Promise<Recorded> {
  const guard = openAt(id, attempt.number)
  const { $set: result, $push } = attemptUpdate(attempt)
  const done = { ...result, attempt_count: attempt.number, claimed_until: UNCLAIMED }
  const { matchedCount } = await deliveries.updateOne(
    { ...guard, resend_url: null },
    { $set: { ...done, ...stateFields(decision.state, now) }, $push },
  )
  if (matchedCount === 1) return 'recorded'

  const waiting = await deliveries.findOne(guard, { projection: { resend_url: 1 } })
  if (!waiting?.resend_url) return 'lost'
  const { resend_url: url } = waiting
  const state = stateFields({ status: 'retrying', nextAttemptAt: now }, now)
  const due = { ...state, url, resend_url: null, round_start: attempt.number }
  const again = await deliveries.updateOne({ ...guard, resend_url: url }, { $set: { ...done, ...due }, $push })
  return again.matchedCount === 1 ? { resendTo: url } : 'lost'
}
