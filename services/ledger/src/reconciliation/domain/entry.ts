import { paiseOf, type EntryKind, type EntryStatus, type ExportedPayment, type PaymentMethod } from '@gateway/contracts'

/** One movement of money, as the network reported it. Of two copies, the one with the higher version is newer. */
export interface Entry {
  readonly kind: EntryKind
  /** The network's id of the payment, or the refund's id. A faulty connector may give one id to two transactions. */
  readonly reference: string
  readonly merchant_id: string
  readonly transaction_id: string
  readonly order_id: string
  readonly rrn: string | null
  readonly method: PaymentMethod | null
  readonly amount_paise: number
  readonly status: EntryStatus
  /** When the money moved. Before it has moved: when the movement was requested. */
  readonly at: Date
  /** The transaction's version. payment-status increases it with every write. */
  readonly version: number
}

type Common = Pick<Entry, 'merchant_id' | 'transaction_id' | 'order_id' | 'version'>

/** The entries of a payment as payment-status exports it. */
export function entriesOfExport(exported: ExportedPayment): Entry[] {
  const { merchant_id, transaction_id, order_id, version, captures, reversals } = exported
  const common: Common = { merchant_id, transaction_id, order_id, version }
  const captured = captures.map(({ reference, amount_paise, accepted, rrn, method, at }): Entry => {
    const kind = accepted ? 'capture' : 'unwanted_capture'
    return { ...common, kind, reference, rrn, method, amount_paise, status: 'succeeded', at: new Date(at) }
  })
  const byReference = new Map(captures.map((capture) => [capture.reference, capture]))
  const reversed = reversals.map(({ reference, amount_paise, status, rrn: own, requested_at, completed_at }): Entry => {
    const { rrn: ofCapture = null, method = null } = byReference.get(reference) ?? {}
    const at = new Date(completed_at ?? requested_at)
    return { ...common, kind: 'reversal', reference, rrn: own ?? ofCapture, method, amount_paise, status, at }
  })
  const accepted = captures.find((capture) => capture.accepted)
  return [...captured, ...reversed, ...refundEntries(exported, common, accepted?.method ?? null)]
}

/** A returned refund is two movements of money: to the payer, and back. */
function refundEntries({ refunds }: ExportedPayment, common: Common, method: PaymentMethod | null): Entry[] {
  return refunds.flatMap(({ id: reference, rrn, amount, status, created_at, updated_at, completed_at }): Entry[] => {
    const shared = { ...common, reference, rrn, method, amount_paise: paiseOf(amount) }
    const moved = status === 'returned' ? 'succeeded' : status
    const refund: Entry = { ...shared, kind: 'refund', status: moved, at: new Date(completed_at ?? created_at) }
    if (status !== 'returned') return [refund]
    return [refund, { ...shared, kind: 'refund_return', status: 'succeeded', at: new Date(updated_at) }]
  })
}

/** `credit` when money came in for the merchant, `debit` when it went out. */
export function directionOf(kind: EntryKind): 'credit' | 'debit' {
  return kind === 'reversal' || kind === 'refund' ? 'debit' : 'credit'
}

export interface LineKey {
  readonly kind: EntryKind
  readonly reference: string
}

/** The key of an entry. Two transactions with one reference have two entries. */
export function entryKey(entry: LineKey & Pick<Entry, 'transaction_id'>): string {
  return `${lineKey(entry)}:${entry.transaction_id}`
}

/** The key of a line in a settlement file, which need not name a transaction. */
export function lineKey({ kind, reference }: LineKey): string {
  return `${kind}:${reference}`
}

/** The line keys that money under this reference can have. Two payments with one reference are a fault of the connector. */
export function captureLineKeys(reference: string): string[] {
  return (['capture', 'unwanted_capture'] as const).map((kind) => lineKey({ kind, reference }))
}
