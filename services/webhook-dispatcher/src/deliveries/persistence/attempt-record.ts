import type { mongo } from 'mongoose'
import { isAcknowledged } from '../../sending/index.ts'
import type { Attempt, AttemptDecision } from '../domain/delivery.ts'
import { attemptUpdate, resendUpdate, stateFields, type DeliveryDocument } from './delivery-document.ts'
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
  const done = { ...result, attemptCount: attempt.number, claimedUntil: UNCLAIMED }
  const { matchedCount } = await deliveries.updateOne(
    { ...guard, resendUrl: null },
    { $set: { ...done, ...stateFields(decision.state, now) }, $push },
  )
  if (matchedCount === 1) return 'recorded'

  const found = await deliveries.findOne(guard, { projection: { resendUrl: 1, url: 1 } })
  if (!found?.resendUrl) return isAcknowledged(attempt) ? recordDelivered(deliveries, { id, attempt, now }) : 'lost'
  const { resendUrl: url } = found
  const state = stateFields({ status: 'retrying', nextAttemptAt: now }, now)
  const due = { ...state, url, resendUrl: null, roundStart: attempt.number }
  const resend = { at: now, url: found.url, attemptCount: attempt.number, deadReason: null }
  const update = { $set: { ...done, ...due }, $push: { ...$push, ...resendUpdate(resend) } }
  const resent = await deliveries.updateOne({ ...guard, resendUrl: url }, update)
  return resent.matchedCount === 1 ? { resendTo: url } : 'lost'
}

/** Closes a delivery of which another replica holds the claim, or has recorded a failure. A resend that waits stays due. */
async function recordDelivered(
  deliveries: mongo.Collection<DeliveryDocument>,
  { id, attempt, now }: Pick<AttemptRecord, 'id' | 'attempt' | 'now'>,
): Promise<Recorded> {
  const { $set: result, $push } = attemptUpdate(attempt)
  // An attempt of an earlier round says nothing about a delivery that was reopened since.
  const open = { _id: id, ...canMove('acknowledge', now), resendUrl: null, roundStart: { $lt: attempt.number } }
  const done = { ...result, ...stateFields({ status: 'delivered' }, now), claimedUntil: UNCLAIMED }
  const { matchedCount } = await deliveries.updateOne(open, { $set: done, $max: { attemptCount: attempt.number }, $push })
  return matchedCount === 1 ? 'recorded' : 'lost'
}
