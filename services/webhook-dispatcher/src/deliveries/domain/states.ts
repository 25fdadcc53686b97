/**
 * Where a delivery is. Merchants see the first three as `retrying`: `scheduled` until its next attempt is due, `parked` while that
 * attempt may not be sent yet, `sending` while a replica holds a claim. Scheduled and parked deliveries differ only in who moved them.
 */
export const DELIVERY_STATES = ['scheduled', 'parked', 'sending', 'delivered', 'dead'] as const
export type DeliveryStateName = (typeof DELIVERY_STATES)[number]

interface Move {
  readonly from: readonly DeliveryStateName[]
  readonly to: readonly DeliveryStateName[]
  /** What makes the move. */
  readonly by: string
}

/**
 * Every move of a delivery. The guards of the record's updates come from `from` (persistence/guards.ts). A record is created in the
 * state that its first attempt led to, or `sending` when it is claimed before that.
 */
export const DELIVERY_MOVES = {
  claim: { from: ['scheduled', 'parked'], to: ['sending'], by: 'a first attempt or a retry, before its POST' },
  park: { from: ['scheduled', 'parked'], to: ['parked'], by: 'a retry that throttling denies' },
  giveUp: { from: ['scheduled', 'parked'], to: ['dead'], by: 'a retry whose endpoint is disabled' },
  record: { from: ['sending'], to: ['scheduled', 'delivered', 'dead'], by: 'the holder of the claim, after its POST' },
  acknowledge: { from: ['scheduled', 'parked', 'sending', 'dead'], to: ['delivered'], by: 'an attempt that lost its claim' },
  publishAgain: { from: ['scheduled', 'parked'], to: ['scheduled'], by: 'the sweep, when the attempt is overdue' },
  reopen: { from: ['scheduled', 'parked', 'delivered', 'dead'], to: ['scheduled'], by: 'a resend, a replay or a recovery' },
  resendAfterwards: { from: ['sending'], to: ['sending'], by: 'a resend while an attempt is running' },
} as const satisfies Record<string, Move>
export type DeliveryMove = keyof typeof DELIVERY_MOVES
