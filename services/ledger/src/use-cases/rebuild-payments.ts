import type { PaymentStatus } from '../clients/payment-status.ts'
import { entriesOfExport } from '../domain/entry.ts'
import { paymentOfExport } from '../domain/payment.ts'
import type { HashPayer } from '../payer-hash.ts'
import { refundsOfExport } from '../domain/refund.ts'
import type { Differences } from '../persistence/differences.ts'
import type { Entries } from '../persistence/entries.ts'
import type { Payments } from '../persistence/payments.ts'
import type { Refunds } from '../persistence/refunds.ts'
import type { StoreEntries } from './store-entries.ts'

/** Reads every payment of payment-status along its primary key and stores it with its refunds and entries; resolves to their number. Safe to repeat. */
export type RebuildPayments = (options: {
  /** Removes what is stored first: after payment-status was restored to an older state. */
  readonly replace: boolean
  readonly onProgress: (count: number) => void
  /** Called with each payment that violates the contract; the rebuild leaves it out. */
  readonly onUnreadable: (transactionId: string) => void
}) => Promise<number>

export function makeRebuildPayments(dependencies: {
  payments: Pick<Payments, 'storeAll' | 'removeAll'>
  refunds: Pick<Refunds, 'storeAll' | 'removeAll'>
  entries: Pick<Entries, 'removeAll' | 'markMissing'>
  differences: Pick<Differences, 'allMissing'>
  storeEntries: StoreEntries
  fetchPage: PaymentStatus['page']
  hashPayer: HashPayer
}): RebuildPayments {
  const { payments, refunds, entries, differences, storeEntries, fetchPage, hashPayer } = dependencies
  return async ({ replace, onProgress, onUnreadable }) => {
    if (replace) await Promise.all([payments.removeAll(), refunds.removeAll(), entries.removeAll()])
    let [count, cursor]: [number, string | null] = [0, '']
    while (cursor !== null) {
      const page: Awaited<ReturnType<PaymentStatus['page']>> = await fetchPage(cursor === '' ? {} : { cursor })
      page.unreadable.forEach(onUnreadable)
      await refunds.storeAll(page.payments.flatMap(refundsOfExport))
      await storeEntries(page.payments.flatMap(entriesOfExport))
      await payments.storeAll(page.payments.map((exported) => paymentOfExport(exported, hashPayer)))
      count += page.payments.length
      cursor = page.next_cursor
      onProgress(count)
    }
    // What was named as missing is not named again, nor what an operator has resolved.
    for await (const some of differences.allMissing())
      for (const [file, ofFile] of Map.groupBy(some, (one) => one.file)) await entries.markMissing(ofFile.map(keyOf), file)
    return count
  }
}

function keyOf({ _id, file }: { readonly _id: string; readonly file: string }): string {
  return _id.slice(`${file}:missing_at_bank:`.length)
}
