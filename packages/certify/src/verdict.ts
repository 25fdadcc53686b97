/** The result of a check. `not_observed`: no answer was wrong, but without a probe the effect could not be seen. */
export const RESULTS = ['pass', 'fail', 'warn', 'skipped', 'not_observed'] as const
export type Result = (typeof RESULTS)[number]

export interface Verdict {
  readonly result: Result
  /** One sentence for the merchant's developer. */
  readonly reason: string
}

export const passed: Verdict = { result: 'pass', reason: '' }
export const failed = (reason: string): Verdict => ({ result: 'fail', reason })
export const warned = (reason: string): Verdict => ({ result: 'warn', reason })
export const notObserved = (reason: string): Verdict => ({ result: 'not_observed', reason })

/** How bad a result is; `skipped` is decided before a check runs. */
const ORDER: readonly Result[] = ['pass', 'skipped', 'warn', 'not_observed', 'fail']

/** The verdict of a check with several parts: the worst result, with the reasons of that result. */
export function worstOf(verdicts: readonly Verdict[]): Verdict {
  const result = verdicts.map((one) => one.result).reduce(worse, 'pass')
  const reasons = verdicts.filter((one) => one.result === result && one.reason !== '').map(({ reason }) => reason)
  return { result, reason: [...new Set(reasons)].join(' ') }
}

function worse(one: Result, other: Result): Result {
  return ORDER.indexOf(one) >= ORDER.indexOf(other) ? one : other
}
