import { createRollingWindow, describeError, withCorrelation, type Log } from '@gateway/service-kit'
import { traceWork } from '@gateway/service-kit/tracing'
import type { NetworkConnector } from '../clients/network-connector.ts'
import { applyEnquiry } from '../domain/enquiry-answer.ts'
import { applyReversalAnswer, type ChangeTransaction, dueReversals, expire, type Reversal, type Timing, type Transaction, type Transactions } from '../../payments/index.ts'
import type { ReturnAtOnce } from '../../callbacks/index.ts'

/** Longer than all calls for one transaction take. When a replica dies, another one continues after this time. */
const LEASE_MS = 30_000
const CLAIMED_AT_ONCE = 50
/** So few that their calls end within the lease even when the network hangs. The others stay due and come next. */
const REVERSALS_AT_ONCE = 4

/** Asks about so many transactions at once. Others wait, at most as long as their calls can still end within the lease. */
const WINDOW = { maxRunning: 50, maxWaiting: 500, maxWaitMs: 4000 } as const

/** Work that becomes due: expiries, enquiries and reversals. */
export interface AdvanceDue {
  /**
   * One bounded step; true when there may be more to do. Each transaction is claimed and expired at once if its time is over. The
   * network is called beside the steps, with nothing held, and its answer is recorded: a slow answer delays nothing else.
   */
  step(): Promise<boolean>
  /** Starts no further call; resolves when those under way have ended. */
  stop(): Promise<void>
}

export function makeAdvanceDue(dependencies: {
  transactions: Pick<Transactions, 'claimDue'>
  change: ChangeTransaction
  network: NetworkConnector
  returnAtOnce: ReturnAtOnce
  timing: Timing
  now: () => Date
  log: Pick<Log, 'error'>
}): AdvanceDue {
  const { transactions, change, network, returnAtOnce, timing, now, log } = dependencies
  let stopping = false
  const calls = createRollingWindow({
    ...WINDOW,
    now,
    onFailure: (id, error) => log.error('due transaction failed', { transaction_id: id, error: describeError(error) }),
  })
  const needsEnquiry = ({ enquiry }: Transaction): boolean => enquiry !== null && enquiry.dueAt <= now()

  async function enquire(transaction: Transaction): Promise<Transaction> {
    const answer = await network.enquire(transaction.id)
    const decision = await change(transaction, (before) => applyEnquiry(before, answer, now(), timing, transaction.enquiry))
    if (decision.excess.length > 0) await returnAtOnce(transaction.id, decision.excess)
    return decision.transaction
  }

  async function reverse(transaction: Transaction, reversal: Reversal): Promise<void> {
    const answer = await network.reverse(transaction.id, reversal)
    await change(transaction, (before) => applyReversalAnswer(before, reversal.reference, answer, now(), timing))
  }

  async function callNetwork(due: Transaction): Promise<void> {
    const transaction = needsEnquiry(due) ? await enquire(due) : due
    for (const reversal of dueReversals(transaction, now()).slice(0, REVERSALS_AT_ONCE))
      if (!stopping) await reverse(transaction, reversal)
  }

  async function advance(claimed: Transaction): Promise<void> {
    const { transaction } = await change(claimed, (before) => expire(before, now(), timing))
    const isCallDue = needsEnquiry(transaction) || dueReversals(transaction, now()).length > 0
    // Without room it stays claimed, and is due again when the lease ends.
    if (isCallDue)
      calls.add(
        transaction.id,
        traced(transaction, () => callNetwork(transaction)),
      )
  }

  return {
    async step() {
      const claimed = await transactions.claimDue(now(), LEASE_MS, CLAIMED_AT_ONCE)
      const results = await Promise.allSettled(claimed.map((transaction) => traced(transaction, () => advance(transaction))()))
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
      return claimed.length === CLAIMED_AT_ONCE
    },
    stop() {
      stopping = true
      return calls.stop()
    },
  }
}

/** The work with the correlation id of the transaction's order, and as a trace of its own. */
function traced({ order }: Transaction, work: () => Promise<void>): () => Promise<void> {
  const { correlationId } = order
  return () => withCorrelation({ correlationId }, () => traceWork('advance a due transaction', {}, work))
}
