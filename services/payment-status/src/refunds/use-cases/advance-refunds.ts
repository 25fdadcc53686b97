import type { Log } from '@gateway/service-kit'
import { parseRefundId, refundReport } from '@gateway/contracts'
import {
  dueRefunds,
  makeDueWork,
  nextCall,
  refundsOf,
  type Adopt,
  type ChangeTransaction,
  type DueWork,
  type Timing,
  type Transaction,
  type Transactions,
} from '../../payments/index.ts'
import type { NetworkRefunds } from '../clients/network-refunds.ts'
import { applyRefundAnswers, applyRefundReport } from '../domain/refund-answer.ts'
import {
  masked,
  maskedId,
  readReport,
  type GuardReport,
  type QuarantineReport,
  type RecordReport,
} from '../../callbacks/index.ts'

/**
 * Asks about the refunds of so many transactions at once. Others wait, at most as long as their calls can still end within the lease.
 * `again`: a refund that is requested during calls for its transaction starts right after them.
 */
const WINDOW = { maxRunning: 20, maxWaiting: 500, maxWaitMs: 10_000, again: true } as const

/** Asks the network about each pending refund, with the refund's own key, until a clear answer ends it. */
export function makeAdvanceRefunds(dependencies: {
  transactions: Pick<Transactions, 'claimDueRefunds' | 'find'>
  change: ChangeTransaction
  network: NetworkRefunds
  timing: Timing
  now: () => Date
  log: Pick<Log, 'error'>
}): DueWork {
  const { transactions, change, network, timing, now, log } = dependencies

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

  return makeDueWork({
    name: 'due refunds',
    claim: (at, leaseMs, limit) => transactions.claimDueRefunds(at, leaseMs, limit),
    prepare: (claimed) => Promise.resolve(() => ask(claimed)),
    window: WINDOW,
    now,
    log,
  })
}

/** Records the callback of a refund. */
export function makeRecordRefundReport(dependencies: {
  adopt: Pick<Adopt, 'byId'>
  change: ChangeTransaction
  guardReport: GuardReport
  quarantineReport: QuarantineReport
  now: () => Date
}): RecordReport {
  const { adopt, change, guardReport, quarantineReport, now } = dependencies
  return async (body) => {
    const report = readReport(body, refundReport)
    const id = report && parseRefundId(report.refund_id)
    if (!id) return quarantineReport(body, 'unreadable', masked(body))
    const transaction = await adopt.byId(id.transactionId)
    if (!transaction || !refundsOf(transaction).some(({ n }) => n === id.n)) {
      const { refund_id, status, amount } = report
      return quarantineReport(body, 'unknown_transaction', JSON.stringify({ refund_id: maskedId(refund_id), status, amount }))
    }
    const safe = guardReport(report)
    await change(transaction, (before) => applyRefundReport(before, id.n, safe, now()))
    return 'recorded'
  }
}
