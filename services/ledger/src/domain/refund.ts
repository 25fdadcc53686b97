import { Fault, parseAmount, type ExportedPayment, type RefundStatus, type RefundView } from '@gateway/contracts'

/** A refund as the ledger knows it. Of two copies, the one with the higher version is newer. */
export interface LedgerRefund {
  readonly merchantId: string
  /** The transaction's version. payment-status increases it with every write. */
  readonly version: number
  readonly view: RefundView
}

/** The refunds of a payment as payment-status exports it. */
export function refundsOfExport({ merchant_id: merchantId, version, refunds }: ExportedPayment): LedgerRefund[] {
  return refunds.map((view) => ({ merchantId, version, view }))
}

/** The conditions of a list of refunds. A missing condition allows everything. */
export interface RefundFilter {
  readonly merchantId: string
  /** Limits of the refund's creation time: `from` is included, `to` is not. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly orderId?: string | undefined
  /** The merchant's own id. */
  readonly refundId?: string | undefined
  readonly status?: RefundStatus | undefined
  readonly rrn?: string | undefined
  readonly minPaise?: number | undefined
  readonly maxPaise?: number | undefined
}

/** True when the refund meets every condition except merchant and time, which the query has checked. */
export function refundFits({ view }: LedgerRefund, filter: RefundFilter): boolean {
  const { orderId, refundId, status, rrn, minPaise = 0, maxPaise = Infinity } = filter
  const paise = paiseOf(view)
  return (
    (orderId === undefined || view.order_id === orderId) &&
    (refundId === undefined || view.refund_id === refundId) &&
    (status === undefined || view.status === status) &&
    (rrn === undefined || view.rrn === rrn) &&
    paise >= minPaise &&
    paise <= maxPaise
  )
}

/** Throws for an amount that payment-status never writes. */
export function paiseOf({ id, amount }: Pick<RefundView, 'id' | 'amount'>): number {
  const paise = parseAmount(amount)
  if (paise === undefined) throw new Fault(`refund ${id} has no readable amount`)
  return paise
}

/** The position of a refund in its merchant's list: by time, then by id. */
export function refundPosition({ created_at: createdAt, id }: RefundView): string {
  return `${createdAt}/${id}`
}
