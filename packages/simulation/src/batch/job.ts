import type { RunResult } from '../run.ts'

/** What a worker is asked for. */
export interface Job {
  readonly seed: number
  /** The numbers of the faults to keep; all of them when it is missing. */
  readonly keep?: readonly number[]
  /** Find the smallest part of the plan that still breaks a rule. */
  readonly shrink?: boolean
  /** Run it twice and compare. */
  readonly twice?: boolean
}

/** A worker's answer. */
export interface Outcome extends RunResult {
  readonly seed: number
  readonly isRepeatable: boolean
  /** The faults of the plan that was run, or of the smallest one that breaks a rule. */
  readonly faults: readonly string[]
  readonly keep: readonly number[]
}
