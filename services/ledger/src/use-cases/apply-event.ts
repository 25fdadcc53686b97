import { isFinal, type ExportedPayment, type TransactionStatusChanged } from '@gateway/contracts'
import { entriesOfExport, type Entry } from '../domain/entry.ts'
import { paymentOfEvent, paymentOfExport, type Payment } from '../domain/payment.ts'
import { refundsOfExport, type LedgerRefund } from '../domain/refund.ts'
import type { HashPayer } from '../payer-hash.ts'

export interface ApplyEvent {
  /** Stores the payment after a status change. After a final one it first reads the payment from payment-status. */
  statusChanged(event: TransactionStatusChanged): Promise<void>
  /** Reads the payment again after one of its reversals or refunds has changed. */
  changed(transactionId: string): Promise<void>
}

/** Safe to repeat, in any order: a copy that is not newer changes nothing. */
export function makeApplyEvent(dependencies: {
  store: (payment: Payment) => Promise<void>
  storeRefunds: (refunds: readonly LedgerRefund[]) => Promise<void>
  storeEntries: (entries: readonly Entry[]) => Promise<void>
  /** `undefined` for a payment that does not exist. Throws `Unavailable` when payment-status does not answer. */
  fetchPayment: (transactionId: string) => Promise<ExportedPayment | undefined>
  hashPayer: HashPayer
}): ApplyEvent {
  const { store, storeRefunds, storeEntries, fetchPayment, hashPayer } = dependencies

  async function changed(transactionId: string): Promise<void> {
    const exported = await fetchPayment(transactionId)
    if (!exported) return
    await Promise.all([storeRefunds(refundsOfExport(exported)), storeEntries(entriesOfExport(exported))])
    await store(paymentOfExport(exported, hashPayer))
  }

  return {
    changed,
    // The event lacks reference and failure code. Older consumers refuse an event with more fields, so they cannot be added.
    statusChanged: (event) =>
      isFinal(event.data.status) ? changed(event.data.transaction_id) : store(paymentOfEvent(event, hashPayer)),
  }
}
