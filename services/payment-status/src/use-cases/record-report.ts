import { createHash } from 'node:crypto'
import { networkReport, type NetworkReport } from '@gateway/contracts'
import type { Log, Metrics } from '@gateway/service-kit'
import { applyReport } from '../domain/reports.ts'
import type { Timing } from '../domain/schedule.ts'
import type { Quarantine, QuarantinedReport } from '../persistence/quarantine.ts'
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
  quarantine: Quarantine
  timing: Timing
  now: () => Date
  log: Log
  alerts: Metrics['alerts']
}): RecordReport {
  const { adopt, change, quarantine, timing, now, log, alerts } = dependencies

  async function setAside(body: Buffer, reason: QuarantinedReport['reason'], excerpt: string): Promise<'quarantined'> {
    const digest = createHash('sha256').update(body).digest('base64url')
    if (await quarantine.add({ _id: digest, reason, excerpt, receivedAt: now() })) {
      alerts.inc({ kind: 'report_quarantined' })
      log.error('alert', { kind: 'report_quarantined', reason, digest })
    }
    return 'quarantined'
  }

  return async (body) => {
    const report = readReport(body)
    if (!report) return setAside(body, 'unreadable', masked(body))
    const transaction = await adopt.byId(report.tr)
    if (!transaction) return setAside(body, 'unknown_transaction', claimOf(report))
    await change(transaction, (before) => applyReport(before, report, now(), timing))
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
