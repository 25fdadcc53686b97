import { firstTransactionIdAt, type PaymentMethod, type RefundState, type TransactionStatus } from '@gateway/contracts'
import type { Payment } from './payment.ts'
import { FIRST_WIDTH_MS } from './time-window.ts'

/** The conditions of a list of orders. A missing condition allows everything. */
export interface ListFilter {
  readonly merchantId: string
  /** Creation of the order: `from` is included, `to` is not. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** Conditions that an index answers. */
  readonly indexed: IndexedConditions
  readonly method?: PaymentMethod | undefined
  readonly minPaise?: number | undefined
  readonly maxPaise?: number | undefined
}

export interface IndexedConditions {
  readonly orderId?: string | undefined
  readonly rrn?: string | undefined
  readonly payerHash?: string | undefined
  readonly status?: TransactionStatus | undefined
  readonly refundState?: RefundState | undefined
}

/** True for a payment that fits every condition except merchant, time and rrn. A payment shows only one of its rrns. */
export function fits(payment: Payment, { indexed, method, minPaise = 0, maxPaise = Infinity }: ListFilter): boolean {
  const { orderId, payerHash, status, refundState } = indexed
  return (
    (orderId === undefined || payment.orderId === orderId) &&
    (payerHash === undefined || payment.payerHash === payerHash) &&
    (status === undefined || payment.status === status) &&
    (refundState === undefined || payment.refundState === refundState) &&
    (method === undefined || payment.method === method) &&
    payment.amountPaise >= minPaise &&
    payment.amountPaise <= maxPaise
  )
}

/** Where the next page begins: with payments older than `before`, in a window of `widthMs`. */
export interface ListPosition {
  /** A transaction id; excluded. */
  readonly before: string
  readonly widthMs: number
}

/** The position of the first page. Exact conditions match few payments and are read at once; other lists, window by window. */
export function firstPosition({ to, indexed }: ListFilter, now: Date): ListPosition {
  const isExact = [indexed.orderId, indexed.rrn, indexed.payerHash].some((value) => value !== undefined)
  // Also includes orders created by a replica whose clock is ahead.
  const end = to ?? new Date(now.getTime() + FIRST_WIDTH_MS)
  return { before: firstTransactionIdAt(end), widthMs: isExact ? Infinity : 2 * FIRST_WIDTH_MS }
}
