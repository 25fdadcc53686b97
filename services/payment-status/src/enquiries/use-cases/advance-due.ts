import type { Log } from '@gateway/service-kit'
import type { ReturnAtOnce } from '../../callbacks/index.ts'
import {
  applyReversalAnswer,
  dueReversals,
  expire,
  makeDueWork,
  type ChangeTransaction,
  type DueWork,
  type Reversal,
  type Timing,
  type Transaction,
  type Transactions,
} from '../../payments/index.ts'
import type { NetworkConnector } from '../clients/network-connector.ts'
import { applyEnquiry } from '../domain/enquiry-answer.ts'

/** So few that their calls end within the lease even when the network hangs. The others stay due and come next. */
const REVERSALS_AT_ONCE = 4

/** Asks about so many transactions at once. Others wait, at most as long as their calls can still end within the lease. */
const WINDOW = { maxRunning: 50, maxWaiting: 500, maxWaitMs: 4000 } as const

/** Expiries, enquiries and reversals. A transaction whose time is over is expired at once, before the network is called. */
export function makeAdvanceDue(dependencies: {
  transactions: Pick<Transactions, 'claimDue'>
  change: ChangeTransaction
  network: NetworkConnector
  returnAtOnce: ReturnAtOnce
  timing: Timing
  now: () => Date
  log: Pick<Log, 'error'>
}): DueWork {
  const { transactions, change, network, returnAtOnce, timing, now, log } = dependencies
  let stopping = false
  const needsEnquiry = ({ enquiry }: Transaction): boolean => enquiry !== null && enquiry.due_at <= now()

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

  const work = makeDueWork({
    name: 'due transaction',
    claim: (at, leaseMs, limit) => transactions.claimDue(at, leaseMs, limit),
    async prepare(claimed) {
      const { transaction } = await change(claimed, (before) => expire(before, now(), timing))
      const isCallDue = needsEnquiry(transaction) || dueReversals(transaction, now()).length > 0
      return isCallDue ? () => callNetwork(transaction) : undefined
    },
    window: WINDOW,
    now,
    log,
  })
  return {
    step: () => work.step(),
    stop() {
      stopping = true
      return work.stop()
    },
  }
}
