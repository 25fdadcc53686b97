import type { mongo } from 'mongoose'
import type { Attempt, AttemptDecision } from '../domain/delivery.ts'
import { attemptUpdate, nextAttemptIs, stateFields, UNCLAIMED } from './delivery-mapping.ts'
import type { DeliveryDocument } from './delivery-model.ts'

/**
 * `lost`: another replica has recorded this attempt. `resendTo`: recorded, and since a resend was asked for while the attempt
 * was running, one more attempt to this URL is due now.
 */
export type Recorded = 'recorded' | 'lost' | { readonly resendTo: string }

export interface AttemptRecord {
  readonly id: string
  readonly attempt: Attempt
  readonly decision: AttemptDecision
  readonly now: Date
}

/** Records an attempt over its claim: one guarded update, and two more statements when a resend was asked for meanwhile. */
export async function recordAttempt(
  deliveries: mongo.Collection<DeliveryDocument>,
  { id, attempt, decision, now }: AttemptRecord,
): Promise<Recorded> {
  const guard = nextAttemptIs(id, attempt.number)
  const { $set: result, $push } = attemptUpdate(attempt)
  const done = { ...result, attempt_count: attempt.number, claimed_until: UNCLAIMED }
  const { matchedCount } = await deliveries.updateOne(
    { ...guard, resend_url: null },
    { $set: { ...done, ...stateFields(decision.state, now) }, $push },
  )
  if (matchedCount === 1) return 'recorded'

  const found = await deliveries.findOne(guard, { projection: { resend_url: 1 } })
  if (!found?.resend_url) return 'lost'
  const { resend_url: url } = found
  const state = stateFields({ status: 'retrying', nextAttemptAt: now }, now)
  const due = { ...state, url, resend_url: null, round_start: attempt.number }
  const resent = await deliveries.updateOne({ ...guard, resend_url: url }, { $set: { ...done, ...due }, $push })
  return resent.matchedCount === 1 ? { resendTo: url } : 'lost'
}
