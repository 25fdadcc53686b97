import { networkReport, Unavailable, type NetworkReport } from '@gateway/contracts'
import type { GuardReport } from './guard-reports.ts'
import {
  type Adopt,
  applyReport,
  type ChangeTransaction,
  type Decision,
  type Timing,
  type Transaction,
  type Transactions,
} from '../../payments/index.ts'
import { masked, maskedId, readReport, type QuarantineReport, type RecordCallback } from './quarantine-report.ts'
import type { ReturnAtOnce } from './return-at-once.ts'

/** Records the callback of a payment. */
export function makeRecordReport(dependencies: {
  adopt: Pick<Adopt, 'byId'>
  change: ChangeTransaction
  transactions: Pick<Transactions, 'changeRecent'>
  guardReport: GuardReport
  quarantineReport: QuarantineReport
  returnAtOnce: ReturnAtOnce
  timing: Timing
  now: () => Date
}): RecordCallback {
  const { adopt, change, transactions, guardReport, quarantineReport, returnAtOnce, timing, now } = dependencies
  return async (body) => {
    const readable = readReport(body, networkReport)
    if (!readable) return quarantineReport(body, 'unreadable', masked(body))
    const report = guardReport(readable)
    const decide = (before: Transaction): Decision => applyReport(before, report, now(), timing)
    // Most callbacks reach a replica that wrote the transaction a moment ago.
    if (await transactions.changeRecent(report.tr, decide)) return 'recorded'
    const transaction = await adopt.byId(report.tr)
    if (!transaction) return quarantineReport(body, 'unknown_transaction', summaryOf(report))
    const { excess } = await change(transaction, decide)
    if (excess.length > 0 && !(await returnAtOnce(report.tr, excess)))
      throw new Unavailable('network_unavailable', 'The money is not given back yet; report it again')
    return 'recorded'
  }
}

/** Enough to look the payment up at the network; nothing about the payer. */
function summaryOf({ reference, tr, outcome, amount, method }: NetworkReport): string {
  return JSON.stringify({ reference: maskedId(reference), tr: maskedId(tr), outcome, amount, method })
}
