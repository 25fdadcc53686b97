import type { TransactionStatusChanged } from '@gateway/contracts'
import { payloadOf } from './payload.ts'

/** A webhook that listening merchants get in addition to its delivery. Sandbox only. */
export interface Copy {
  /** The event's id, which is also the `webhook-id`. */
  readonly id: string
  readonly merchantId: string
  readonly sequence: number
  /** The same bytes that the delivery sends. */
  readonly body: string
}

/** How long copies are kept. */
export const COPY_TTL_MS = 60 * 60 * 1000

/** The copy of one status change. */
export function copyOf(event: TransactionStatusChanged): Copy {
  const { merchant_id: merchantId, sequence } = event.data
  return { id: event.id, merchantId, sequence, body: JSON.stringify(payloadOf(event)) }
}

const FIRST_HOUR_MS = Date.UTC(2026, 0, 1)
/** An hour holds fewer copies than this: 2,700 a second. */
const POSITIONS_PER_HOUR = 10_000_000

/**
 * The first position when no copies are left. Greater than every earlier one, since copies live an hour, and the same for all
 * replicas, so that the unique index still decides between them. Until 2037 it is shorter than a card number, which has 13 digits.
 */
export function firstPosition(now: Date): number {
  return Math.floor((now.getTime() - FIRST_HOUR_MS) / COPY_TTL_MS) * POSITIONS_PER_HOUR
}
