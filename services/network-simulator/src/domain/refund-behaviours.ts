import type { RefundReport, RefundStatus } from '@gateway/contracts'

/** How the network treats refunds of a payment. `lost`: done, but the first answer does not arrive. */
export const REFUND_BEHAVIOURS = [
  'at_once',
  'slow',
  'pending',
  'refused',
  'lost',
  'silent',
  'duplicate',
  'insufficient',
  'returned',
] as const
export type RefundBehaviour = (typeof REFUND_BEHAVIOURS)[number]

/** How long a slow refund is pending, and how long a succeeded one takes to come back. */
export const REFUND_PAUSE_MS = 3000

/** The course of a refund: its first status, the one that follows by itself, and what is reported. */
export interface RefundCourse {
  readonly status: RefundStatus
  readonly pendingReason?: NonNullable<RefundReport['pending_reason']>
  /** Comes after `REFUND_PAUSE_MS`. */
  readonly next?: RefundStatus
  /** How often each status is reported by a callback. */
  readonly reports: number
}

const SILENT = 0
const ONCE = 1
const FIVE_TIMES = 5

export const REFUND_COURSES: Readonly<Record<RefundBehaviour, RefundCourse>> = {
  at_once: { status: 'succeeded', reports: ONCE },
  slow: { status: 'pending', pendingReason: 'processing', next: 'succeeded', reports: ONCE },
  pending: { status: 'pending', pendingReason: 'processing', reports: ONCE },
  refused: { status: 'failed', reports: ONCE },
  lost: { status: 'succeeded', reports: SILENT },
  silent: { status: 'pending', pendingReason: 'processing', next: 'succeeded', reports: SILENT },
  duplicate: { status: 'succeeded', reports: FIVE_TIMES },
  insufficient: { status: 'pending', pendingReason: 'insufficient_funds', reports: ONCE },
  returned: { status: 'succeeded', next: 'returned', reports: ONCE },
}

/** Cards and banks have no VPA, so the paise of the refund amount decide. */
const BY_PAISE: ReadonlyMap<number, RefundBehaviour> = new Map([
  [91, 'slow'],
  [92, 'refused'],
  [93, 'lost'],
])

export function behaviourOfPaise(amountPaise: number): RefundBehaviour {
  return BY_PAISE.get(amountPaise % 100) ?? 'at_once'
}
