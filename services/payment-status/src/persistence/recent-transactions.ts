import { LRUCache } from 'lru-cache'
import { isFinal } from '@gateway/contracts'
import type { Transaction } from '../domain/transaction.ts'
import type { Transactions } from './transactions.ts'

export interface RecentTransactions extends Transactions {
  /**
   * The transaction as this replica last wrote it, if it is open and was written of late. Another replica may have changed it
   * since: only for a change, whose save is guarded, and never to say how an order stands.
   */
  recall(id: string): Transaction | undefined
}

/** About a kilobyte each; at 50 payments a second those of the last 100 seconds. */
const MAX_RECENT = 5000

/** Keeps what it writes: most callbacks are for a transaction that the same replica has opened a moment ago. */
export function rememberRecent(transactions: Transactions): RecentTransactions {
  const recent = new LRUCache<string, Transaction>({ max: MAX_RECENT })
  return {
    ...transactions,
    recall: (id) => recent.get(id),

    async insert(decision) {
      const inserted = await transactions.insert(decision)
      if (inserted) recent.set(decision.transaction.id, decision.transaction)
      return inserted
    },

    async save(before, decision) {
      // Whatever comes of it, what is known now is no longer so.
      recent.delete(before.id)
      const saved = await transactions.save(before, decision)
      if (saved && !isFinal(decision.transaction.status)) recent.set(before.id, decision.transaction)
      return saved
    },
  }
}
