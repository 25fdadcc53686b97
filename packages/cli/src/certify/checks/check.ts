import type { Bench } from '../bench/bench.ts'
import type { CheckNumber } from '../catalogue.ts'
import type { Expectation } from '../judge.ts'
import type { Verdict } from '../verdict.ts'

/** What a check has seen so far, and what it expects of its orders when the run is over. */
export interface Findings {
  readonly verdicts: readonly Verdict[]
  readonly effects: readonly Expectation[]
}

export interface Check {
  readonly check: CheckNumber
  /** Starts with the run and ends late: it waits for an order to expire. */
  readonly isLong?: boolean
  run(bench: Bench): Promise<Findings>
}

export const fulfilledOnce = (orderId: string): Expectation => ({ orderId, fulfilled: 1 })
export const notFulfilled = (orderId: string): Expectation => ({ orderId, fulfilled: 0 })
