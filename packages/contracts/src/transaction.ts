/** The values of a payment's fields, shared by every service. Source: specification, section 3, and design, section 4. */

export const TRANSACTION_STATUSES = ['Initiate', 'Pending', 'Success', 'Failed'] as const
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]

/** The payment methods that a merchant can allow for an order. */
export const ORDER_METHODS = ['upi', 'card', 'netbanking'] as const
export type OrderMethod = (typeof ORDER_METHODS)[number]

/** The instrument that a payment was made with. */
export const PAYMENT_METHODS = ['upi', 'credit_card', 'debit_card', 'netbanking'] as const
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]

/** The order's method that a payment's method belongs to. */
export function orderMethodOf(method: PaymentMethod): OrderMethod {
  return method === 'upi' || method === 'netbanking' ? method : 'card'
}

/** Why a transaction or an attempt is `Failed`: a closed list. */
export const FAILURE_REASONS = ['declined', 'cancelled', 'expired', 'amount_mismatch', 'unconfirmed', 'network_error'] as const
export type FailureReason = (typeof FAILURE_REASONS)[number]

/** Why the network declined a payment: a closed list. `unknown` stands for every reason that is not one of the others. */
export const FAILURE_CODES = [
  'insufficient_funds',
  'authentication_failed',
  'limit_exceeded',
  'payer_declined',
  'instrument_blocked',
  'issuer_down',
  'timed_out',
  'risk',
  'unknown',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

/** The state of a payment according to the network. */
export const NETWORK_OUTCOMES = ['pending', 'success', 'failed'] as const
export type NetworkOutcome = (typeof NETWORK_OUTCOMES)[number]

export const REVERSAL_REASONS = ['late', 'duplicate', 'amount_mismatch'] as const
export type ReversalReason = (typeof REVERSAL_REASONS)[number]

/** The payer's name and VPA, known for UPI payments. */
export interface Payer {
  readonly name: string
  readonly vpa: string
}

/** True when no status can follow. */
export function isFinal(status: TransactionStatus): boolean {
  return status === 'Success' || status === 'Failed'
}

/** Ends an exhaustive switch: it does not compile when a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`)
}

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
