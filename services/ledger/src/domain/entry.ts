import {
  ENTRY_KINDS,
  Fault,
  type EntryKind,
  type EntryStatus,
  type ExportedPayment,
  type PaymentMethod,
} from '@gateway/contracts'
import { paiseOf } from './refund.ts'

/** One movement of money, as the network reported it. Of two copies, the one with the higher version is newer. */
export interface Entry {
  readonly kind: EntryKind
  /** The network's id of the payment, or the refund's id. A faulty connector may give one id to two transactions. */
  readonly reference: string
  readonly merchantId: string
  readonly transactionId: string
  readonly orderId: string
  readonly rrn: string | null
  readonly method: PaymentMethod | null
  readonly amountPaise: number
  readonly status: EntryStatus
  /** When the money moved. Before it has moved: when the movement was requested. */
  readonly at: Date
  /** The transaction's version. payment-status increases it with every write. */
  readonly version: number
}

/** The entries of a payment as payment-status exports it. */
export function entriesOfExport(exported: ExportedPayment): Entry[] {
  const { merchant_id: merchantId, transaction_id: transactionId, order_id: orderId, version, captures, reversals } = exported
  const common = { merchantId, transactionId, orderId, version }
  const accepted = captures.find((capture) => capture.accepted)
  const captured = captures.map((capture): Entry => {
    const { reference, amount_paise: amountPaise, rrn, method, at } = capture
    const kind = capture.accepted ? 'capture' : 'unwanted_capture'
    return { ...common, kind, reference, rrn, method, amountPaise, status: 'succeeded', at: new Date(at) }
  })
  const byReference = new Map(captures.map((capture) => [capture.reference, capture]))
  const reversed = reversals.map(
    ({ reference, amount_paise: amountPaise, status, rrn: own, requested_at, completed_at }): Entry => {
      const { rrn: captured = null, method = null } = byReference.get(reference) ?? {}
      const at = new Date(completed_at ?? requested_at)
      return { ...common, kind: 'reversal', reference, rrn: own ?? captured, method, amountPaise, status: statusOf(status), at }
    },
  )
  return [...captured, ...reversed, ...refundEntries(exported, common, accepted?.method ?? null)]
}

/** A returned refund is two movements of money: to the payer, and back. */
function refundEntries(
  { refunds }: ExportedPayment,
  common: Pick<Entry, 'merchantId' | 'transactionId' | 'orderId' | 'version'>,
  method: PaymentMethod | null,
): Entry[] {
  return refunds.flatMap((view): Entry[] => {
    const { id: reference, rrn, status, created_at, updated_at, completed_at } = view
    const shared = { ...common, reference, rrn, method, amountPaise: paiseOf(view) }
    const moved = status === 'returned' ? 'succeeded' : status
    const refund: Entry = { ...shared, kind: 'refund', status: moved, at: new Date(completed_at ?? created_at) }
    if (status !== 'returned') return [refund]
    return [refund, { ...shared, kind: 'refund_return', status: 'succeeded', at: new Date(updated_at) }]
  })
}

/** A status that only a newer payment-status knows counts as pending. */
function statusOf(status: string): EntryStatus {
  return status === 'succeeded' || status === 'failed' ? status : 'pending'
}

/** +1 when money came in for the merchant, -1 when it went out. */
export function signOf(kind: EntryKind): 1 | -1 {
  return kind === 'reversal' || kind === 'refund' ? -1 : 1
}

export interface LineKey {
  readonly kind: EntryKind
  readonly reference: string
}

/** The key of an entry. Two transactions with one reference have two entries. */
export function entryKey(entry: LineKey & Pick<Entry, 'transactionId'>): string {
  return `${lineKey(entry)}:${entry.transactionId}`
}

/** The key of a line in a settlement file, which need not name a transaction. */
export function lineKey({ kind, reference }: LineKey): string {
  return `${kind}:${reference}`
}

/** The line keys that money under this reference can have. Two payments with one reference are a fault of the connector. */
export function captureLineKeys(reference: string): string[] {
  return (['capture', 'unwanted_capture'] as const).map((kind) => lineKey({ kind, reference }))
}

/** Throws for a text that is not a line key. */
export function parseLineKey(key: string): LineKey {
  const kind = ENTRY_KINDS.find((candidate) => key.startsWith(`${candidate}:`))
  if (!kind) throw new Fault('this is not the key of a line')
  return { kind, reference: key.slice(kind.length + 1) }
}
