import type { Bench } from '../bench/bench.ts'
import type { CheckNumber } from '../catalogue.ts'
import type { Expectation } from '../judge.ts'
import type { Verdict } from '../verdict.ts'

/** The verdicts of a check so far, and the effects that its orders must have at the end of the run. */
export interface Findings {
  readonly verdicts: readonly Verdict[]
  readonly effects: readonly Expectation[]
}

export interface Check {
  readonly check: CheckNumber
  /** The check waits for an order to expire, so it runs in parallel to the others from the start. */
  readonly isLong?: boolean
  run(bench: Bench): Promise<Findings>
}

export const fulfilledOnce = (orderId: string): Expectation => ({ orderId, fulfilled: 1 })
export const notFulfilled = (orderId: string): Expectation => ({ orderId, fulfilled: 0 })
