import { createRollingWindow, describeError, withCorrelation, type Log, type RollingWindowOptions } from '@gateway/service-kit'
import { traceWork } from '@gateway/service-kit/tracing'
import type { Transaction } from '../domain/transaction.ts'
import type { ClaimDue } from '../persistence/claim-due.ts'

/** Longer than all calls for one transaction take. When a replica dies, another one continues after this time. */
const LEASE_MS = 30_000
const CLAIMED_AT_ONCE = 50

/** Work on transactions that are due. */
export interface DueWork {
  /** One bounded step; true when there may be more to do. Calls of the network run beside the steps, with nothing held. */
  step(): Promise<boolean>
  /** Starts no further call; resolves when those under way have ended. */
  stop(): Promise<void>
}

/** Claims what is due, prepares each transaction, and runs its calls of the network in a bounded window. */
export function makeDueWork(options: {
  /** What a trace and the log call it. */
  readonly name: string
  readonly claim: ClaimDue
  /** Resolves to the calls that are due; `undefined` when none is. */
  readonly prepare: (claimed: Transaction) => Promise<(() => Promise<void>) | undefined>
  readonly window: Pick<RollingWindowOptions, 'maxRunning' | 'maxWaiting' | 'maxWaitMs' | 'again'>
  readonly now: () => Date
  readonly log: Pick<Log, 'error'>
}): DueWork {
  const { name, claim, prepare, window, now, log } = options
  const calls = createRollingWindow({
    ...window,
    now,
    onFailure: (id, error) => log.error(`${name} failed`, { transaction_id: id, error: describeError(error) }),
  })
  /** The work with the correlation id of the transaction's order, and as a trace of its own. */
  const traced = ({ order: { correlation_id: correlationId } }: Transaction, work: () => Promise<void>): Promise<void> =>
    withCorrelation({ correlationId }, () => traceWork(name, {}, work))

  async function begin(claimed: Transaction): Promise<void> {
    const call = await prepare(claimed)
    // Without room it stays claimed, and is due again when the lease ends.
    if (call) calls.add(claimed.id, () => traced(claimed, call))
  }

  return {
    async step() {
      const { transactions, more } = await claim(now(), LEASE_MS, CLAIMED_AT_ONCE)
      const results = await Promise.allSettled(transactions.map((transaction) => traced(transaction, () => begin(transaction))))
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
      return more
    },
    stop: () => calls.stop(),
  }
}
