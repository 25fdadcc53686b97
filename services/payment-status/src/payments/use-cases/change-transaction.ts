import { Refused, Unavailable } from '@gateway/contracts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import type { Transactions } from '../persistence/transactions.ts'

/** How often a change is decided again after losing to another writer; more than this points to a fault. */
const MAX_TRIES = 20

/**
 * Decide → save, and load → decide → save again when another writer was faster. `decide` is pure, so it can be called again.
 * Resolves to the decision that was saved, or that changes nothing. Throws `transaction_not_found` when the transaction is gone and `contention` after `MAX_TRIES`.
 */
export type ChangeTransaction = (before: Transaction, decide: (transaction: Transaction) => Decision) => Promise<Decision>

export function makeChangeTransaction(transactions: Pick<Transactions, 'find' | 'save'>): ChangeTransaction {
  return async (first, decide) => {
    let before: Transaction | undefined = first
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const decision = decide(before)
      if (!decision.changed || (await transactions.save(before, decision))) return decision
      before = await transactions.find(first.id)
      if (!before) throw new Refused('transaction_not_found', 'The transaction does not exist')
    }
    throw new Unavailable('contention', 'Too many changes of this transaction at once; try again')
  }
}
