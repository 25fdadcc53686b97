import type { Payments, Refunds } from '../../lists/index.ts'
import type { Stores } from '../../reconciliation/index.ts'
import type { FetchPage, ReadPage } from '../clients/payment-pages.ts'
import type { StoreCopies } from './store-copies.ts'

/** Reads every payment of payment-status along its primary key and stores it with its refunds and entries; resolves to their number. Safe to repeat. */
export type RebuildPayments = (options: {
  /** Removes what is stored first: after payment-status was restored to an older state. */
  readonly replace: boolean
  readonly onProgress: (count: number) => void
  /** Called with each payment that violates the contract; the rebuild leaves it out. */
  readonly onUnreadable: (transactionId: string) => void
}) => Promise<number>

export function makeRebuildPayments(dependencies: {
  payments: Pick<Payments, 'removeAll'>
  refunds: Pick<Refunds, 'removeAll'>
  stores: Pick<Stores, 'entries' | 'differences'>
  storeCopies: StoreCopies
  fetchPage: FetchPage
}): RebuildPayments {
  const { payments, refunds, storeCopies, fetchPage } = dependencies
  const { entries, differences } = dependencies.stores
  return async ({ replace, onProgress, onUnreadable }) => {
    if (replace) await Promise.all([payments.removeAll(), refunds.removeAll(), entries.removeAll()])
    let [count, cursor]: [number, string | null] = [0, '']
    while (cursor !== null) {
      const page: ReadPage = await fetchPage(cursor === '' ? {} : { cursor })
      page.unreadable.forEach(onUnreadable)
      await storeCopies(page.payments)
      count += page.payments.length
      cursor = page.next_cursor
      onProgress(count)
    }
    // What was named as missing is not named again, nor what an operator has resolved.
    for await (const some of differences.allMissing())
      for (const [file, ofFile] of Map.groupBy(some, (difference) => difference.file))
        await entries.mark('missing', ofFile.map(keyOf), file)
    return count
  }
}

function keyOf({ _id, file }: { readonly _id: string; readonly file: string }): string {
  return _id.slice(`${file}:missing_at_bank:`.length)
}
