import type { CheckDescription } from '../catalogue.ts'
import type { Entry } from '../transcript.ts'
import { RESULTS, type Result } from '../verdict.ts'

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

export type ReportFacts = Pick<Report, 'started_at' | 'ended_at' | 'gateway' | 'receiver' | 'probe' | 'checks'>

export function createReport({ checks, ...facts }: ReportFacts): Report {
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
