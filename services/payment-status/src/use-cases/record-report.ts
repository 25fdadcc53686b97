import { hash } from 'node:crypto'
import { networkReport, Refused, type NetworkReport } from '@gateway/contracts'
import type { Log, Metrics } from '@gateway/service-kit'
import { applyReport } from '../domain/reports.ts'
import type { Timing } from '../domain/schedule.ts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import type { Quarantine, QuarantinedReport } from '../persistence/quarantine.ts'
import type { RecentTransactions } from '../persistence/recent-transactions.ts'
import type { Adopt } from './adopt.ts'
import type { ChangeTransaction } from './change-transaction.ts'

/** Takes an authentic callback. It is never refused for its content: what fits nowhere is quarantined with an alert. */
export type RecordReport = (body: Buffer) => Promise<'recorded' | 'quarantined'>

const EXCERPT_CHARACTERS = 1024
/** What may hold a card number, however it is written: digits, and whatever could be something encoded. */
const DIGIT = /\p{Nd}/gu
const LONG_TOKEN = /[A-Za-z0-9+/_=-]{16,}/gu

export function makeRecordReport(dependencies: {
  adopt: Adopt
  change: ChangeTransaction
  transactions: Pick<RecentTransactions, 'recall'>
  quarantine: Quarantine
  timing: Timing
  now: () => Date
  log: Log
  alerts: Pick<Metrics['alerts'], 'inc'>
}): RecordReport {
  const { adopt, change, transactions, quarantine, timing, now, log, alerts } = dependencies

  async function setAside(body: Buffer, reason: QuarantinedReport['reason'], excerpt: string): Promise<'quarantined'> {
    const digest = hash('sha256', body, 'base64url')
    if (await quarantine.add({ _id: digest, reason, excerpt, receivedAt: now() })) {
      alerts.inc({ kind: 'report_quarantined' })
      log.error('alert', { kind: 'report_quarantined', reason, digest })
    }
    return 'quarantined'
  }

  /** Decides on what was written here last. False when nothing is to change of it, or it is gone: then it is to be read. */
  async function changeRecent(id: string, decide: (before: Transaction) => Decision): Promise<boolean> {
    const recent = transactions.recall(id)
    if (!recent || decide(recent).transaction === recent) return false
    try {
      await change(recent, decide)
      return true
    } catch (error) {
      if (error instanceof Refused && error.code === 'transaction_not_found') return false
      throw error
    }
  }

  return async (body) => {
    const report = readReport(body)
    if (!report) return setAside(body, 'unreadable', masked(body))
    const decide = (before: Transaction): Decision => applyReport(before, report, now(), timing)
    if (await changeRecent(report.tr, decide)) return 'recorded'
    const transaction = await adopt.byId(report.tr)
    if (!transaction) return setAside(body, 'unknown_transaction', claimOf(report))
    await change(transaction, decide)
    return 'recorded'
  }
}

/** Enough to see what was sent, and nothing that could be a secret in it. */
function masked(body: Buffer): string {
  const text = body.toString('utf8').slice(0, EXCERPT_CHARACTERS)
  return text.replaceAll(LONG_TOKEN, '[…]').replaceAll(DIGIT, '#')
}

/** Enough to look the payment up at the network; nothing about who paid. */
function claimOf({ reference, tr, outcome, amount, method }: NetworkReport): string {
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
