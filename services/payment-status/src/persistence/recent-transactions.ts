import { LRUCache } from 'lru-cache'
import { isFinal, orderKey } from '@gateway/contracts'
import type { Transaction } from '../domain/transaction.ts'
import type { Transactions } from './transactions.ts'

export interface RecentTransactions extends Transactions {
  /**
   * The transaction as this replica last wrote it, if it is open and was written of late. Another replica may have changed it
   * since: only for a change, whose save is guarded, and never to say how an order stands.
   */
  recall(id: string): Transaction | undefined
  /**
   * Waits a moment for one that is about to be stored: by its id, or by what `orderKey` makes of its order. `undefined` when this
   * replica did not store it meanwhile; another may have.
   */
  arrival(idOrKey: string): Promise<Transaction | undefined>
}

/** About a kilobyte each, found by two names; at 50 payments a second those of the last 100 seconds. */
const MAX_RECENT = 10_000

/**
 * From the answer to a create until its event is stored, by whichever replica, it takes up to 25 ms until the event sets out, and
 * some milliseconds, on a busy machine some dozens. Another replica does not say when it has.
 */
const ARRIVAL_MS = 75

type Arrival = PromiseWithResolvers<Transaction | undefined>

/** Keeps what it writes: most callbacks are for a transaction that the same replica has opened a moment ago. */
export function rememberRecent(transactions: Transactions): RecentTransactions {
  const recent = new LRUCache<string, Transaction>({ max: MAX_RECENT })
  const awaited = new Map<string, Arrival>()
  const storing = new Set<string>()

  const namesOf = ({ id, order }: Transaction): string[] => [id, orderKey(order.merchant.id, order.orderId)]

  function remember(transaction: Transaction): void {
    for (const name of namesOf(transaction)) recent.set(name, transaction)
  }

  function settle(key: string, transaction: Transaction | undefined): void {
    awaited.get(key)?.resolve(transaction)
    awaited.delete(key)
  }

  return {
    ...transactions,
    recall: (id) => recent.get(id),

    arrival(key) {
      // It came while somebody looked in vain.
      if (recent.has(key)) return Promise.resolve(undefined)
      const known = awaited.get(key)
      if (known) return known.promise
      const arrival: Arrival = Promise.withResolvers()
      awaited.set(key, arrival)
      const timer = setTimeout(() => settle(key, undefined), ARRIVAL_MS)
      if (storing.has(key)) transactions.hurry()
      return arrival.promise.finally(() => clearTimeout(timer))
    },

    async insert(decision, { urgent }) {
      const { transaction } = decision
      const keys = namesOf(transaction)
      for (const key of keys) storing.add(key)
      let inserted = false
      try {
        inserted = await transactions.insert(decision, { urgent: urgent || keys.some((key) => awaited.has(key)) })
        if (inserted) remember(transaction)
        return inserted
      } finally {
        for (const key of keys) {
          storing.delete(key)
          settle(key, inserted ? transaction : undefined)
        }
      }
    },

    async save(before, decision) {
      // Whatever comes of it, what is known now is no longer so.
      for (const name of namesOf(before)) recent.delete(name)
      const saved = await transactions.save(before, decision)
      if (saved && !isFinal(decision.transaction.status)) remember(decision.transaction)
      return saved
    },
  }
}
