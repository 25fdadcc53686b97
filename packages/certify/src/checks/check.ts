import type { Bench } from '../bench/bench.ts'
import type { Expectation, Verdict } from '../judge.ts'

/** One requirement on a merchant's receiver. Reports and docs/certification.md name it. */
export interface CheckDescription {
  readonly check: number
  /** Stable, for programs. */
  readonly name: string
  readonly title: string
  /** The section of the merchant's documentation that requires it. */
  readonly clause: string
}

/** The verdicts of a check so far, and the effects that its orders must have at the end of the run. */
export interface Findings {
  readonly verdicts: readonly Verdict[]
  readonly effects: readonly Expectation[]
}

export interface Check extends CheckDescription {
  /** The check waits for an order to expire, so it runs in parallel to the others from the start. */
  readonly isLong?: boolean
  run(bench: Bench): Promise<Findings>
}

export const fulfilledOnce = (orderId: string): Expectation => ({ orderId, fulfilled: 1 })
export const notFulfilled = (orderId: string): Expectation => ({ orderId, fulfilled: 0 })
