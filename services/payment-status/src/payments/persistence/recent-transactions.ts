import { LRUCache } from 'lru-cache'
import { isFinal, orderKey } from '@gateway/contracts'
import type { Transaction } from '../domain/transaction.ts'

/** What this replica knows without reading: the open transactions it wrote last, and the inserts that callers wait for. */
export interface RecentTransactions {
  /** The copy this replica wrote last, while the transaction is open. Another replica may have changed the stored one since. */
  get(id: string): Transaction | undefined
  /** Keeps the copy that was just written; a final one is not kept. */
  remember(transaction: Transaction): void
  forget(transaction: Transaction): void
  /**
   * Waits up to `MAX_WAIT_MS` until this replica inserts the transaction with this id or order key. `undefined` when it does
   * not, or did already: then the stored one is to be read.
   */
  waitFor(idOrOrderKey: string): Promise<Transaction | undefined>
  /** Runs the insert of a transaction and hands the inserted one to the callers that wait for it. */
  during(transaction: Transaction, insert: (isAwaited: boolean) => Promise<boolean>): Promise<boolean>
}

/** About a kilobyte each, found by two keys; at 50 payments a second those of the last 100 seconds. */
const MAX_RECENT = 10_000

/**
 * An order's event reaches a replica up to 25 ms (the publisher's batch) plus some milliseconds after the create's answer, some
 * dozens on a busy machine. It may reach another replica, which this one does not notice.
 */
export const MAX_WAIT_MS = 75

/** @param onWait called when a caller begins to wait for a transaction whose insert has not ended */
export function createRecentTransactions(onWait: () => void): RecentTransactions {
  const recent = new LRUCache<string, Transaction>({ max: MAX_RECENT })
  const awaited = new Map<string, PromiseWithResolvers<Transaction | undefined>>()
  const inserting = new Set<string>()

  function remember(transaction: Transaction): void {
    if (!isFinal(transaction.status)) for (const key of keysOf(transaction)) recent.set(key, transaction)
  }

  function settle(key: string, transaction: Transaction | undefined): void {
    awaited.get(key)?.resolve(transaction)
    awaited.delete(key)
  }

  return {
    get: (id) => recent.get(id),

    remember,

    forget(transaction) {
      for (const key of keysOf(transaction)) recent.delete(key)
    },

    waitFor(key) {
      // Inserted after the caller's read found nothing.
      if (recent.has(key)) return Promise.resolve(undefined)
      const known = awaited.get(key)
      if (known) return known.promise
      const wait = Promise.withResolvers<Transaction | undefined>()
      awaited.set(key, wait)
      const timer = setTimeout(() => settle(key, undefined), MAX_WAIT_MS)
      if (inserting.has(key)) onWait()
      return wait.promise.finally(() => clearTimeout(timer))
    },

    async during(transaction, insert) {
      const keys = keysOf(transaction)
      for (const key of keys) inserting.add(key)
      let inserted = false
      try {
        inserted = await insert(keys.some((key) => awaited.has(key)))
        if (inserted) remember(transaction)
        return inserted
      } finally {
        for (const key of keys) {
          inserting.delete(key)
          settle(key, inserted ? transaction : undefined)
        }
      }
    },
  }
}

/** A transaction is known by its id and by its order. */
function keysOf({ id, order }: Transaction): string[] {
  return [id, orderKey(order.merchant.id, order.order_id)]
}
