import type { ExportedPayment } from '@gateway/contracts'
import { createBatcher, isDatabaseFailure } from '@gateway/service-kit'
import { paymentOfExport, refundsOfExport, type HashPayer, type Payments, type Refunds } from '../../lists/index.ts'
import { entriesOfExport, type StoreEntries } from '../../reconciliation/index.ts'

/** Stores payments with their refunds and entries, unless newer copies are stored. Safe to repeat, in any order. */
export type StoreCopies = (copies: readonly ExportedPayment[]) => Promise<void>

export function makeStoreCopies({
  payments,
  refunds,
  storeEntries,
  hashPayer,
}: {
  payments: Pick<Payments, 'storeAll'>
  refunds: Pick<Refunds, 'storeAll'>
  storeEntries: StoreEntries
  hashPayer: HashPayer
}): StoreCopies {
  return async (copies) => {
    await Promise.all([refunds.storeAll(copies.flatMap(refundsOfExport)), storeEntries(copies.flatMap(entriesOfExport))])
    await payments.storeAll(copies.map((copy) => paymentOfExport(copy, hashPayer)))
  }
}

/** Stores one copy, together with others that come at the same time. */
export type StoreCopy = (copy: ExportedPayment) => Promise<void>

/**
 * No caller waits for the ledger, and it shares database and processors with the payment path. So a copy waits a quarter of a
 * second for others, and all of them together cost a few commands.
 */
const BATCHING = { maxBatchSize: 200, maxQueued: 5000, maxDelayMs: 250 } as const
type Result = PromiseSettledResult<undefined>
const DONE: Result = { status: 'fulfilled', value: undefined }

export function makeStoreCopy(store: StoreCopies): StoreCopy {
  /** A copy that can never be stored must not hold up those that came with it. Rejects when the database goes away. */
  async function storeOneByOne(copies: readonly ExportedPayment[]): Promise<Result[]> {
    const results: Result[] = []
    for (const copy of copies) {
      const [result] = await Promise.allSettled([store([copy])])
      if (result.status === 'rejected' && isDatabaseFailure(result.reason)) throw result.reason
      results.push(result.status === 'rejected' ? result : DONE)
    }
    return results
  }

  return createBatcher<ExportedPayment, undefined>({
    ...BATCHING,
    async run(copies) {
      try {
        await store(copies)
        return copies.map(() => DONE)
      } catch (error) {
        if (copies.length === 1 || isDatabaseFailure(error)) throw error
        return storeOneByOne(copies)
      }
    },
  })
}
