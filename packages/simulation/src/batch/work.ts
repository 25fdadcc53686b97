import { describeFault, drawPlan, type Plan } from '../plan/plan.ts'
import { LOAD_MS, runPlan, type RunResult } from '../run.ts'

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

const PAYMENTS = 40
/** A fault that is left out costs one run. */
const MAX_SHRINK_RUNS = 24

/** Does one job in this Node process, which must be a simulated world. */
export async function work(
  { seed, keep, shrink = false, twice = false }: Job,
  onLine?: (line: string) => void,
): Promise<Outcome> {
  const whole = drawPlan(seed, LOAD_MS)
  const plan = keep ? { ...whole, faults: whole.faults.filter(({ number }) => keep.includes(number)) } : whole
  const run = (part: Plan) => runPlan(part, PAYMENTS, onLine)
  const found = shrink ? await smallest(plan, run) : { plan, result: await run(plan) }
  const isRepeatable = !twice || (await run(found.plan)).digest === found.result.digest
  const { faults } = found.plan
  return { ...found.result, seed, isRepeatable, faults: faults.map(describeFault), keep: faults.map(({ number }) => number) }
}

/** Leaves out one fault after the other, as long as the same rule stays broken. */
async function smallest(plan: Plan, run: (plan: Plan) => Promise<RunResult>): Promise<{ plan: Plan; result: RunResult }> {
  let best = { plan, result: await run(plan) }
  const rule = best.result.violations[0]?.rule
  let runs = 0
  for (const fault of plan.faults) {
    if (runs++ >= MAX_SHRINK_RUNS) break
    const part = { ...best.plan, faults: best.plan.faults.filter((other) => other !== fault) }
    const result = await run(part)
    if (result.violations.some((violation) => violation.rule === rule)) best = { plan: part, result }
  }
  return best
}
