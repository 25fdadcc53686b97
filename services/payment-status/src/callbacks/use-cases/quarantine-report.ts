import { hash } from 'node:crypto'
import { utf8Text } from '@gateway/contracts'
import type { Log, Metrics } from '@gateway/service-kit'
import type { Quarantine, QuarantinedReport } from '../persistence/quarantine.ts'

const EXCERPT_CHARACTERS = 1024
/** What could be part of a card number: digits in any script, and long runs that could be encoded text. */
const DIGIT = /\p{Nd}/gu
const LONG_TOKEN = /[A-Za-z0-9+/_=-]{16,}/gu

/**
 * Records a callback whose signature was verified. Its content is never a reason to refuse it: a report that cannot be read, or that
 * belongs to no known payment or refund, is quarantined with an alert.
 */
export type RecordCallback = (body: Buffer) => Promise<'recorded' | 'quarantined'>

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
    if (await quarantine.add({ _id: digest, reason, excerpt, receivedAt: now() })) {
      alerts.inc({ kind: 'report_quarantined' })
      log.error('alert', { kind: 'report_quarantined', reason, digest })
    }
    return 'quarantined'
  }
}

/** The start of the body without anything that could be a card number or a secret. */
export function masked(body: Buffer): string {
  const text = body.toString('utf8').slice(0, EXCERPT_CHARACTERS)
  return text.replaceAll(LONG_TOKEN, '[…]').replaceAll(DIGIT, '#')
}

/** An id of the network without runs of digits that could be a card number. */
export function maskedId(id: string): string {
  return id.replaceAll(/\d(?:[._-]?\d){8,}/gu, (digits) => '#'.repeat(digits.length))
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
