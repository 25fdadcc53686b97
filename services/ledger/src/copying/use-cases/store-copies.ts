import { setTimeout as sleep } from 'node:timers/promises'
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
const BATCHING = { maxBatchSize: 400, maxQueued: 5000, maxDelayMs: 250 } as const
/**
 * How long the ledger rests after a batch: this many times as long as the batch took, which is longer on a busy machine. Without
 * rests, a machine whose processors are all busy creates a tenth fewer orders.
 */
const REST_FACTOR = 6
const MAX_REST_MS = 3000
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

  async function storeTogether(copies: readonly ExportedPayment[]): Promise<Result[]> {
    try {
      await store(copies)
      return copies.map(() => DONE)
    } catch (error) {
      if (copies.length === 1 || isDatabaseFailure(error)) throw error
      return storeOneByOne(copies)
    }
  }

  let restsUntilMs = 0
  return createBatcher<ExportedPayment, undefined>({
    ...BATCHING,
    async run(copies) {
      const leftMs = restsUntilMs - performance.now()
      if (leftMs > 0) await sleep(leftMs)
      const startedMs = performance.now()
      try {
        return await storeTogether(copies)
      } finally {
        const endedMs = performance.now()
        restsUntilMs = endedMs + Math.min(REST_FACTOR * (endedMs - startedMs), MAX_REST_MS)
      }
    },
  })
}
