import { createRollingWindow, describeError, withCorrelation, type Log } from '@gateway/service-kit'
import { traceWork } from '@gateway/service-kit/tracing'
import type { NetworkRefunds } from '../clients/network-refunds.ts'
import { applyRefundAnswers } from '../domain/refund-answer.ts'
import { dueRefunds, nextCall } from '../domain/refund-schedule.ts'
import type { ChangeTransaction, Timing, Transaction, Transactions } from '../../payments/index.ts'

/** Longer than the calls for one transaction take. When a replica dies, another one continues after this time. */
const LEASE_MS = 30_000
const CLAIMED_AT_ONCE = 50

/**
 * Asks about the refunds of so many transactions at once. Others wait, at most as long as their calls can still end within the lease.
 * `again`: a refund that is requested during calls for its transaction starts right after them.
 */
const WINDOW = { maxRunning: 20, maxWaiting: 500, maxWaitMs: 10_000, again: true } as const

/** Asks the network about each pending refund, with the refund's own key, until a clear answer ends it. */
export interface AdvanceRefunds {
  /** One bounded step; true when there may be more to do. The network is called beside the steps, with nothing held. */
  step(): Promise<boolean>
  /** Starts no further call; resolves when those under way have ended. */
  stop(): Promise<void>
}

export function makeAdvanceRefunds(dependencies: {
  transactions: Pick<Transactions, 'claimDueRefunds' | 'find'>
  change: ChangeTransaction
  network: NetworkRefunds
  timing: Timing
  now: () => Date
  log: Pick<Log, 'error'>
}): AdvanceRefunds {
  const { transactions, change, network, timing, now, log } = dependencies
  const calls = createRollingWindow({
    ...WINDOW,
    now,
    onFailure: (id, error) => log.error('due refund failed', { transaction_id: id, error: describeError(error) }),
  })

  /** Asks about all due refunds of one transaction at once, and stores their answers in one write. */
  async function ask(claimed: Transaction): Promise<void> {
    // Read again: calls that ran since the claim may have ended some of its refunds.
    const transaction = (await transactions.find(claimed.id)) ?? claimed
    const due = dueRefunds(transaction, now())
    if (due.length === 0) return
    const answers = await Promise.all(
      due.map(async (refund) => ({ n: refund.n, answer: await network[nextCall(refund)](transaction, refund) })),
    )
    const at = now()
    await change(transaction, (before) => applyRefundAnswers(before, answers, at, timing))
  }

  return {
    async step() {
      const claimed = await transactions.claimDueRefunds(now(), LEASE_MS, CLAIMED_AT_ONCE)
      for (const transaction of claimed) {
        const { correlationId } = transaction.order
        // Without room it stays claimed, and is due again when the lease ends.
        calls.add(transaction.id, () =>
          withCorrelation({ correlationId }, () => traceWork('ask for refunds', {}, () => ask(transaction))),
        )
      }
      return claimed.length === CLAIMED_AT_ONCE
    },
    stop: () => calls.stop(),
  }
}
