import { Refused, Unavailable } from '@gateway/contracts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import type { Transactions } from '../persistence/transactions.ts'
import { eventLeaves } from './event-leaves.ts'
import type { LogChanges } from './log-changes.ts'
import type { RaiseAlerts } from './raise-alerts.ts'

/** Writers that meet on one transaction take turns; with this many lost turns something else is wrong. */
const MAX_TRIES = 20

/** Load → decide → save, again when somebody else was faster. The decision is pure, so it can be made again. */
export type ChangeTransaction = (before: Transaction, decide: (transaction: Transaction) => Decision) => Promise<Transaction>

interface Dependencies {
  readonly transactions: Pick<Transactions, 'find' | 'save'>
  readonly raiseAlerts: RaiseAlerts
  readonly logChanges: LogChanges
}

export function makeChangeTransaction({ transactions, raiseAlerts, logChanges }: Dependencies): ChangeTransaction {
  return async (first, decide) => {
    let before: Transaction | undefined = first
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const decision = decide(before)
      if (decision.transaction === before) return before
      if (await transactions.save(before, decision)) {
        logChanges(decision, before)
        raiseAlerts(decision)
        await eventLeaves()
        return decision.transaction
      }
      before = await transactions.find(first.id)
      if (!before) throw new Refused('transaction_not_found', 'The transaction does not exist')
    }
    throw new Unavailable('contention', 'The transaction is changed by many at once; try again')
  }
}
