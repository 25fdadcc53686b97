/** The values of a refund's fields, shared by every service. Source: design, section 10 ("Refunds"). */

/** `returned`: the payer's bank has sent a succeeded refund back. */
export const REFUND_STATUSES = ['pending', 'succeeded', 'failed', 'returned'] as const
export type RefundStatus = (typeof REFUND_STATUSES)[number]

/**
 * Why a refund is pending. `queued`: the network was not asked yet. `processing`: the network works on it. `insufficient_funds`: the
 * acquirer waits for the merchant's balance. `no_answer`: the network gave no clear answer, and is asked again with the same key.
 */
export const REFUND_PENDING_REASONS = ['queued', 'processing', 'insufficient_funds', 'no_answer'] as const
export type RefundPendingReason = (typeof REFUND_PENDING_REASONS)[number]

/** Why the merchant refunds. */
export const REFUND_REASONS = ['returned', 'duplicate', 'not_delivered', 'other'] as const
export type RefundReason = (typeof REFUND_REASONS)[number]

/** Refunds of one transaction at most, failed ones included. */
export const MAX_REFUNDS = 20

/** `<transaction id>R<nn>`. */
export const REFUND_ID_PATTERN = '^[0-9A-Z]{1,35}R[0-9]{2}$'
const REFUND_ID = /^([0-9A-Z]{1,35})R(\d{2})$/u

/** The public id of a transaction's refund number `n`, from 1: also the network's idempotency key. Acquirers allow 35 characters. */
export function formatRefundId(transactionId: string, n: number): string {
  return `${transactionId}R${String(n).padStart(2, '0')}`
}

/** The parts of a refund's id; `undefined` when the text cannot be one. */
export function parseRefundId(id: string): { readonly transactionId: string; readonly n: number } | undefined {
  const [, transactionId, digits] = REFUND_ID.exec(id) ?? []
  return transactionId === undefined || digits === undefined ? undefined : { transactionId, n: Number(digits) }
}
