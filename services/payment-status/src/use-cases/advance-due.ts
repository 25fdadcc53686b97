import { withCorrelation } from '@gateway/service-kit'
import { traceWork } from '@gateway/service-kit/tracing'
import type { NetworkConnector } from '../clients/network-connector.ts'
import { applyEnquiry, expire } from '../domain/closing.ts'
import { applyReversalAnswer, dueReversals } from '../domain/reversals.ts'
import type { Timing } from '../domain/schedule.ts'
import type { Reversal, Transaction } from '../domain/transaction.ts'
import type { Transactions } from '../persistence/transactions.ts'
import type { ChangeTransaction } from './change-transaction.ts'

/** Longer than all calls for one transaction take. When a replica dies, another one continues after this time. */
const LEASE_MS = 30_000
const CLAIMED_AT_ONCE = 50
/** Few enough to end within the lease even when the network hangs; the others stay due and come next. */
const REVERSALS_AT_ONCE = 4

/**
 * One bounded step of the work that time brings: expiry, enquiries and reversals. True when there may be more to do.
 * Each transaction is claimed, the network is called with nothing held, and the answer is recorded.
 */
export type AdvanceDue = () => Promise<boolean>

export function makeAdvanceDue(dependencies: {
  transactions: Pick<Transactions, 'claimDue'>
  change: ChangeTransaction
  network: NetworkConnector
  timing: Timing
  now: () => Date
}): AdvanceDue {
  const { transactions, change, network, timing, now } = dependencies

  async function enquire(transaction: Transaction): Promise<Transaction> {
    const answer = await network.enquire(transaction.id)
    return change(transaction, (before) => applyEnquiry(before, answer, now(), timing))
  }

  async function reverse(transaction: Transaction, reversal: Reversal): Promise<void> {
    const answer = await network.reverse(transaction.id, reversal)
    await change(transaction, (before) => applyReversalAnswer(before, reversal.reference, answer, now(), timing))
  }

  async function advance(claimed: Transaction): Promise<void> {
    let transaction = await change(claimed, (before) => expire(before, now(), timing))
    if (transaction.enquiry && transaction.enquiry.dueAt <= now()) transaction = await enquire(transaction)
    for (const reversal of dueReversals(transaction, now()).slice(0, REVERSALS_AT_ONCE)) await reverse(transaction, reversal)
  }

  /** With the correlation id of its order, and as a trace of its own. */
  const traced = (claimed: Transaction): Promise<void> =>
    withCorrelation({ correlationId: claimed.order.correlationId }, () =>
      traceWork('advance a due transaction', {}, () => advance(claimed)),
    )

  return async () => {
    const claimed = await transactions.claimDue(now(), LEASE_MS, CLAIMED_AT_ONCE)
    const results = await Promise.allSettled(claimed.map(traced))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    return claimed.length === CLAIMED_AT_ONCE
  }
}
