import type { CheckDescription } from '../checks/check.ts'
import { RESULTS, type Result } from '../judge.ts'
import type { Entry } from '../transcript.ts'

/** One check in the report. */
export interface CheckReport extends CheckDescription {
  readonly result: Result
  readonly reason: string
  readonly duration_ms: number
  readonly transcript: readonly Entry[]
}

/** The result of `pgw certify`. */
export interface Report {
  /** Every check ran and passed; a warning counts as passed. */
  readonly certified: boolean
  readonly started_at: string
  readonly ended_at: string
  readonly gateway: string
  readonly receiver: string
  /** `null`: effects were not observed. */
  readonly probe: string | null
  readonly summary: Readonly<Record<Result, number>>
  readonly checks: readonly CheckReport[]
}

export function createReport({ checks, ...facts }: Omit<Report, 'certified' | 'summary'>): Report {
  const count = (result: Result): number => checks.filter((check) => check.result === result).length
  const summary = Object.fromEntries(RESULTS.map((result) => [result, count(result)])) as Record<Result, number>
  const certified = checks.length > 0 && summary.fail + summary.not_observed + summary.skipped === 0
  return { certified, ...facts, summary, checks }
}

/** One line for a terminal: `fail           7  The same webhook twice: … ORD-1 was fulfilled 2 times …`. */
export function lineOf({ check, result, title, reason }: CheckReport): string {
  return [
    `${result.padEnd(12)} ${String(check).padStart(2)}  ${title}`,
    ...(reason === '' ? [] : [`                 ${reason}`]),
  ].join('\n')
}

const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
/** Characters that XML 1.0 cannot represent: most control characters, and lone surrogates. */
const NOT_IN_XML = /[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]|\p{Cs}/gu

/** Text for the contents and attributes of HTML and XML. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(NOT_IN_XML, '\uFFFD').replaceAll(/[&<>"']/gu, (character) => NAMES[character] ?? character)
}
