import { ownSlotOf } from '@gateway/contracts'
import type { DeliveryKey } from '../domain/delivery.ts'
import { DELIVERY_MOVES, type DeliveryMove, type DeliveryStateName } from '../domain/states.ts'

/** `claimed_until` of a delivery without a claim. */
export const UNCLAIMED = new Date(0)

const STATUS = {
  scheduled: 'retrying',
  parked: 'retrying',
  sending: 'retrying',
  delivered: 'delivered',
  dead: 'dead',
} as const satisfies Record<DeliveryStateName, string>

/** Filter for records in a state that the move starts from (domain/states.ts). A claim that has ended at `now` counts for nothing. */
export function canMove(move: DeliveryMove, now: Date) {
  const from: readonly DeliveryStateName[] = DELIVERY_MOVES[move].from
  const status = { $in: [...new Set(from.map((state) => STATUS[state]))] }
  if (!from.includes('sending')) return { status, claimed_until: { $lte: now } }
  return from.includes('scheduled') ? { status } : { status, claimed_until: { $gt: now } }
}

/** Filter for one delivery. */
export function withKey({ id, merchant_id }: DeliveryKey) {
  return { merchant_id, slot: ownSlotOf(id), _id: id }
}

/** Filter for a delivery whose next attempt is number `attempt`: it keeps retry chains from forking. */
export function nextAttemptIs(key: DeliveryKey, attempt: number) {
  return { ...withKey(key), status: 'retrying', attempt_count: attempt - 1 } as const
}

/** Filter for an attempt under a claim until this instant: another replica's claim ends at another one. */
export function isClaimedUntil(key: DeliveryKey, attempt: number, until: Date) {
  return { ...nextAttemptIs(key, attempt), claimed_until: until }
}
