import { ownSlotOf, paiseOf, type ExportedPayment, type RefundView } from '@gateway/contracts'

/** A refund as the ledger stores it: as merchants see it, and what lists need. Of two copies, the one with the higher version is newer. */
export interface LedgerRefund extends RefundView {
  /** `<merchant id>:<time of creation>/<refund's id>`: in the order of creation for each merchant. */
  readonly _id: string
  readonly merchant_id: string
  /** The order's slot. */
  readonly slot: number
  /** The transaction's version. payment-status increases it with every write. */
  readonly version: number
  readonly amount_paise: number
}

/** The refunds of a payment as payment-status exports it. */
export function refundsOfExport({ merchant_id, version, refunds }: ExportedPayment): LedgerRefund[] {
  return refunds.map((view) => ({
    ...view,
    _id: refundKey(merchant_id, `${view.created_at}/${view.id}`),
    ...{ merchant_id, slot: ownSlotOf(view.id), version, amount_paise: paiseOf(view.amount) },
  }))
}

/** The `_id` of the refund at a position of the merchant's list: by time, then by the refund's id. */
export function refundKey(merchantId: string, position: string): string {
  return `${merchantId}:${position}`
}

/** The refund as its merchant sees it. */
export function refundView({
  _id,
  merchant_id: _merchant,
  slot: _slot,
  version: _version,
  amount_paise: _paise,
  ...view
}: LedgerRefund): RefundView {
  return view
}

/** The sum of the refunds that have succeeded: a pending one may fail, and a returned one came back. */
export function succeededPaise(refunds: readonly RefundView[]): number {
  return refunds.filter(({ status }) => status === 'succeeded').reduce((sum, { amount }) => sum + paiseOf(amount), 0)
}
