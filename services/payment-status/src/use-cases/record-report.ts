import { networkReport, type NetworkReport } from '@gateway/contracts'
import type { GuardReport } from '../guard-reports.ts'
import { applyReport } from '../domain/reports.ts'
import type { Timing } from '../domain/schedule.ts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import type { Transactions } from '../persistence/transactions.ts'
import type { Adopt } from './adopt.ts'
import type { ChangeTransaction } from './change-transaction.ts'
import { masked, maskedId, readReport, type QuarantineReport } from './quarantine-report.ts'

/**
 * Records a callback whose signature was verified. Its content is never a reason to refuse it: a report that cannot be read, or
 * whose order is unknown, is quarantined with an alert.
 */
export type RecordReport = (body: Buffer) => Promise<'recorded' | 'quarantined'>

export function makeRecordReport(dependencies: {
  adopt: Pick<Adopt, 'byId'>
  change: ChangeTransaction
  transactions: Pick<Transactions, 'changeRecent'>
  guardReport: GuardReport
  quarantineReport: QuarantineReport
  timing: Timing
  now: () => Date
}): RecordReport {
  const { adopt, change, transactions, guardReport, quarantineReport, timing, now } = dependencies
  return async (body) => {
    const readable = readReport(body, networkReport)
    if (!readable) return quarantineReport(body, 'unreadable', masked(body))
    const report = guardReport(readable)
    const decide = (before: Transaction): Decision => applyReport(before, report, now(), timing)
    // Most callbacks reach a replica that wrote the transaction a moment ago.
    if (await transactions.changeRecent(report.tr, decide)) return 'recorded'
    const transaction = await adopt.byId(report.tr)
    if (!transaction) return quarantineReport(body, 'unknown_transaction', summaryOf(report))
    await change(transaction, decide)
    return 'recorded'
  }
}

/** Enough to look the payment up at the network; nothing about the payer. */
function summaryOf({ reference, tr, outcome, amount, method }: NetworkReport): string {
  return JSON.stringify({ reference: maskedId(reference), tr: maskedId(tr), outcome, amount, method })
}
