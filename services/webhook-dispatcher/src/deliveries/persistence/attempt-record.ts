import type { mongo } from 'mongoose'
import { isAcknowledged } from '../../sending/index.ts'
import type { Attempt, AttemptDecision } from '../domain/delivery.ts'
import { attemptUpdate, resendUpdate, stateFields } from './delivery-mapping.ts'
import type { DeliveryDocument } from './delivery-model.ts'
import { canMove, isClaimedUntil, UNCLAIMED } from './guards.ts'

/**
 * `lost`: another replica has recorded or claimed this attempt. `resendTo`: recorded, and since a resend was asked for while the attempt
 * was running, one more attempt to this URL is due now.
 */
export type Recorded = 'recorded' | 'lost' | { readonly resendTo: string }

export interface AttemptRecord {
  readonly id: string
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
export async function recordAttempt(
  deliveries: mongo.Collection<DeliveryDocument>,
  { id, attempt, decision, now, claimedUntil }: AttemptRecord,
): Promise<Recorded> {
  const guard = isClaimedUntil(id, attempt.number, claimedUntil)
  const { $set: result, $push } = attemptUpdate(attempt)
  const done = { ...result, attempt_count: attempt.number, claimed_until: UNCLAIMED }
  const { matchedCount } = await deliveries.updateOne(
    { ...guard, resend_url: null },
    { $set: { ...done, ...stateFields(decision.state, now) }, $push },
  )
  if (matchedCount === 1) return 'recorded'

  const found = await deliveries.findOne(guard, { projection: { resend_url: 1, url: 1 } })
  if (!found?.resend_url) return isAcknowledged(attempt) ? recordDelivered(deliveries, { id, attempt, now }) : 'lost'
  const { resend_url: url } = found
  const state = stateFields({ status: 'retrying', nextAttemptAt: now }, now)
  const due = { ...state, url, resend_url: null, round_start: attempt.number }
  const resend = { at: now, url: found.url ?? null, attemptCount: attempt.number, deadReason: null }
  const update = { $set: { ...done, ...due }, $push: { ...$push, ...resendUpdate(resend) } }
  const resent = await deliveries.updateOne({ ...guard, resend_url: url }, update)
  return resent.matchedCount === 1 ? { resendTo: url } : 'lost'
}

/** Closes a delivery of which another replica holds the claim, or has recorded a failure. A resend that waits stays due. */
async function recordDelivered(
  deliveries: mongo.Collection<DeliveryDocument>,
  { id, attempt, now }: Pick<AttemptRecord, 'id' | 'attempt' | 'now'>,
): Promise<Recorded> {
  const { $set: result, $push } = attemptUpdate(attempt)
  // An attempt of an earlier round says nothing about a delivery that was reopened since.
  const open = { _id: id, ...canMove('acknowledge', now), resend_url: null, round_start: { $lt: attempt.number } }
  const done = { ...result, ...stateFields({ status: 'delivered' }, now), claimed_until: UNCLAIMED }
  const { matchedCount } = await deliveries.updateOne(open, { $set: done, $max: { attempt_count: attempt.number }, $push })
  return matchedCount === 1 ? 'recorded' : 'lost'
}
