import { hash } from 'node:crypto'
import { networkReport, type NetworkReport } from '@gateway/contracts'
import type { Log, Metrics } from '@gateway/service-kit'
import { applyReport } from '../domain/reports.ts'
import type { Timing } from '../domain/schedule.ts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import type { Quarantine, QuarantinedReport } from '../persistence/quarantine.ts'
import type { Transactions } from '../persistence/transactions.ts'
import type { Adopt } from './adopt.ts'
import type { ChangeTransaction } from './change-transaction.ts'

/**
 * Records a callback whose signature was verified. Its content is never a reason to refuse it: a report that cannot be read, or
 * whose order is unknown, is quarantined with an alert.
 */
export type RecordReport = (body: Buffer) => Promise<'recorded' | 'quarantined'>

const EXCERPT_CHARACTERS = 1024
/** What could be part of a card number: digits in any script, and long runs that could be encoded text. */
const DIGIT = /\p{Nd}/gu
const LONG_TOKEN = /[A-Za-z0-9+/_=-]{16,}/gu

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
  const { adopt, change, transactions, quarantine, timing, now, log, alerts } = dependencies

  async function keepForAPerson(body: Buffer, reason: QuarantinedReport['reason'], excerpt: string): Promise<'quarantined'> {
    const digest = hash('sha256', body, 'base64url')
    if (await quarantine.add({ _id: digest, reason, excerpt, receivedAt: now() })) {
      alerts.inc({ kind: 'report_quarantined' })
      log.error('alert', { kind: 'report_quarantined', reason, digest })
    }
    return 'quarantined'
  }

  return async (body) => {
    const report = readReport(body)
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

/** The start of the body without anything that could be a card number or a secret. */
function masked(body: Buffer): string {
  const text = body.toString('utf8').slice(0, EXCERPT_CHARACTERS)
  return text.replaceAll(LONG_TOKEN, '[…]').replaceAll(DIGIT, '#')
}

/** Enough to look the payment up at the network; nothing about the payer. */
function summaryOf({ reference, tr, outcome, amount, method }: NetworkReport): string {
  const id = (text: string): string => text.replaceAll(/\d(?:[._-]?\d){8,}/gu, (digits) => '#'.repeat(digits.length))
  return JSON.stringify({ reference: id(reference), tr: id(tr), outcome, amount, method })
}

function readReport(body: Buffer): NetworkReport | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return networkReport(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
