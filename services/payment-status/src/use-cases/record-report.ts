import { networkReport, type NetworkReport } from '@gateway/contracts'
import type { Log, Metrics } from '@gateway/service-kit'
import { applyReport } from '../domain/reports.ts'
import type { Timing } from '../domain/schedule.ts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import type { Quarantine } from '../persistence/quarantine.ts'
import type { Transactions } from '../persistence/transactions.ts'
import type { Adopt } from './adopt.ts'
import type { ChangeTransaction } from './change-transaction.ts'
import { makeKeepForAPerson, masked, readReport } from './keep-for-a-person.ts'

/**
 * Records a callback whose signature was verified. Its content is never a reason to refuse it: a report that cannot be read, or
 * whose order is unknown, is quarantined with an alert.
 */
export type RecordReport = (body: Buffer) => Promise<'recorded' | 'quarantined'>

export function makeRecordReport(dependencies: {
  adopt: Pick<Adopt, 'byId'>
  change: ChangeTransaction
  transactions: Pick<Transactions, 'changeRecent'>
  quarantine: Quarantine
  timing: Timing
  now: () => Date
  log: Log
  alerts: Pick<Metrics['alerts'], 'inc'>
}): RecordReport {
  const { adopt, change, transactions, timing, now } = dependencies
  const keepForAPerson = makeKeepForAPerson(dependencies)
  return async (body) => {
    const report = readReport(body, networkReport)
    if (!report) return keepForAPerson(body, 'unreadable', masked(body))
    const decide = (before: Transaction): Decision => applyReport(before, report, now(), timing)
    // Most callbacks reach a replica that wrote the transaction a moment ago.
    if (await transactions.changeRecent(report.tr, decide)) return 'recorded'
    const transaction = await adopt.byId(report.tr)
    if (!transaction) return keepForAPerson(body, 'unknown_transaction', summaryOf(report))
    await change(transaction, decide)
    return 'recorded'
  }
}

/** Enough to look the payment up at the network; nothing about the payer. */
function summaryOf({ reference, tr, outcome, amount, method }: NetworkReport): string {
  const id = (text: string): string => text.replaceAll(/\d(?:[._-]?\d){8,}/gu, (digits) => '#'.repeat(digits.length))
  return JSON.stringify({ reference: id(reference), tr: id(tr), outcome, amount, method })
}
