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
const DIGITS = /\d(?:[\s-]?\d){11,}/gu

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

  async function setAside(body: Buffer, reason: QuarantinedReport['reason']): Promise<'quarantined'> {
    const digest = createHash('sha256').update(body).digest('hex')
    const excerpt = body.toString('utf8').slice(0, EXCERPT_CHARACTERS).replace(DIGITS, '[digits]')
    if (await quarantine.add({ _id: digest, reason, excerpt, receivedAt: now() })) {
      alerts.inc({ kind: 'report_quarantined' })
      log.error('alert', { kind: 'report_quarantined', reason, digest })
    }
    return 'quarantined'
  }

  return async (body) => {
    const report = readReport(body)
    if (!report) return setAside(body, 'unreadable')
    const transaction = await adopt.byId(report.tr)
    if (!transaction) return setAside(body, 'unknown_transaction')
    await change(transaction, (before) => applyReport(before, report, now(), timing))
    return 'recorded'
  }
}

function readReport(body: Buffer): NetworkReport | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return networkReport(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
