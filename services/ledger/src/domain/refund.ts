import { parseAmount, type ExportedPayment, type RefundStatus, type RefundView } from '@gateway/contracts'

/** A refund as the ledger knows it. Of two copies, the one with the higher version is newer. */
export interface LedgerRefund {
  readonly merchantId: string
  /** Of the transaction: counts every write at payment-status. */
  readonly version: number
  readonly view: RefundView
}

/** The refunds of a payment as payment-status exports it. */
export function refundsOfExport({ merchant_id: merchantId, version, refunds = [] }: ExportedPayment): LedgerRefund[] {
  return refunds.map((view) => ({ merchantId, version, view }))
}

/** What a list of refunds shows. A missing condition allows everything. */
export interface RefundFilter {
  readonly merchantId: string
  /** Creation of the refund: `from` is included, `to` is not. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly orderId?: string | undefined
  readonly status?: RefundStatus | undefined
  readonly rrn?: string | undefined
  readonly minPaise?: number | undefined
  readonly maxPaise?: number | undefined
}

/** True for a refund that fits every condition apart from merchant and time. */
export function refundFits({ view }: LedgerRefund, filter: RefundFilter): boolean {
  const { orderId, status, rrn, minPaise = 0, maxPaise = Infinity } = filter
  const paise = paiseOf(view)
  return (
    (orderId === undefined || view.order_id === orderId) &&
    (status === undefined || view.status === status) &&
    (rrn === undefined || view.rrn === rrn) &&
    paise >= minPaise &&
    paise <= maxPaise
  )
}

/** Throws for an amount that payment-status never writes. */
export function paiseOf({ id, amount }: Pick<RefundView, 'id' | 'amount'>): number {
  const paise = parseAmount(amount)
  if (paise === undefined) throw new Error(`refund ${id} has no readable amount`)
  return paise
}

/** Where a refund stands in the list of its merchant: by time, then by id. */
export function refundPosition({ created_at: createdAt, id }: RefundView): string {
  return `${createdAt}/${id}`
}
