import { hash } from 'node:crypto'
import { networkReport, Unavailable, utf8Text, type NetworkReport } from '@gateway/contracts'
import type { Log, Metrics } from '@gateway/service-kit'
import {
  applyReport,
  type Adopt,
  type ChangeTransaction,
  type Decision,
  type Timing,
  type Transaction,
  type Transactions,
} from '../../payments/index.ts'
import type { ReturnAtOnce } from './return-at-once.ts'
import type { Quarantine, QuarantinedReport } from '../persistence/quarantine.ts'
import { masked, maskedId, safeReport, type Texts } from '../domain/acquirer-text.ts'

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
}): RecordReport {
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

/**
 * Records a callback whose signature was verified. Its content is never a reason to refuse it: a report that cannot be read, or that
 * belongs to no known payment or refund, is quarantined with an alert.
 */
export type RecordReport = (body: Buffer) => Promise<'recorded' | 'quarantined'>

/** Keeps a report that cannot be applied for an operator to look at, with an alert; the same bytes are kept once. */
export type QuarantineReport = (body: Buffer, reason: QuarantinedReport['reason'], excerpt: string) => Promise<'quarantined'>

export function makeQuarantineReport(dependencies: {
  quarantine: Quarantine
  now: () => Date
  log: Log
  alerts: Pick<Metrics['alerts'], 'inc'>
}): QuarantineReport {
  const { quarantine, now, log, alerts } = dependencies
  return async (body, reason, excerpt) => {
    const digest = hash('sha256', body, 'base64url')
    if (await quarantine.add({ _id: digest, reason, excerpt, received_at: now() })) {
      alerts.inc({ kind: 'report_quarantined' })
      log.error('alert', { kind: 'report_quarantined', reason, digest })
    }
    return 'quarantined'
  }
}

/** The parsed body when it is UTF-8 and fits its schema. */
export function readReport<T>(body: Buffer, checker: (value: unknown) => value is T): T | undefined {
  try {
    const parsed: unknown = JSON.parse(utf8Text(body) ?? '')
    return checker(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** Every report of the network passes through it, from a callback or an answer, before anything stores, answers or logs its texts. */
export type GuardReport = <T extends Texts>(report: T) => T

/** Counts and logs that a report held something like a card number, without the number. */
export function makeGuardReport(log: Pick<Log, 'warn'>, alerts: Pick<Metrics['alerts'], 'inc'>): GuardReport {
  return (given) => {
    const { report, cardsIn } = safeReport(given)
    if (cardsIn.length > 0) {
      alerts.inc({ kind: 'card_number_from_network' })
      log.warn('card number in a report of the network', { fields: cardsIn })
    }
    return report
  }
}
