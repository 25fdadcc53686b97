import { execFileSync } from 'node:child_process'
import { MARKS } from '../check/marks.ts'
import type { Job, Outcome } from './work.ts'
import { doAll, Worker } from './pool.ts'

/** One seed in so many runs twice. */
const TWICE_EVERY = 20
/** With fewer seeds a mark may be missing by chance. */
const SEEDS_FOR_MARKS = 200
const LINES_SHOWN = 60
const MAX_FAILURES_SHOWN = 5

/** Runs many seeds and prints every failure with its smallest plan. The last line is JSON. Returns the exit code. */
export async function runBatch({
  seeds,
  from,
  jobs,
  minutes,
}: Record<'seeds' | 'from' | 'jobs' | 'minutes', number>): Promise<number> {
  const beganMs = performance.now()
  const minutesPassed = () => (performance.now() - beganMs) / 60_000
  const totals = { seeds: 0, violations: 0, nondeterministic: 0, payments: 0, hot_queries_beyond_slots: 0 }
  const seen = new Set<string>()
  const failed: number[] = []
  function* plan(): Generator<Job> {
    for (let seed = from; seed < from + seeds && minutesPassed() < minutes; seed++)
      yield { seed, twice: seed % TWICE_EVERY === 0 }
  }
  await doAll(jobs, plan(), ({ seed, violations, payments, isRepeatable, marks, hotBeyondSlots }) => {
    totals.seeds += 1
    totals.violations += violations.length
    totals.payments += payments
    totals.hot_queries_beyond_slots += hotBeyondSlots
    if (!isRepeatable) totals.nondeterministic += 1
    if (!isRepeatable) console.log(`seed ${seed} had two different runs`)
    for (const mark of marks) seen.add(mark)
    const [first] = violations
    if (first) {
      failed.push(seed)
      console.log(`seed ${seed} FAILED: ${first.rule}: ${first.what}`)
    }
    if (totals.seeds % 50 === 0) console.log(`${totals.seeds} seeds, ${totals.violations} violations`)
  })
  const perMinute = Math.round(totals.seeds / minutesPassed())
  await showFailures(failed)
  const missing = totals.seeds < SEEDS_FOR_MARKS ? [] : MARKS.filter((mark) => !seen.has(mark))
  for (const mark of missing) console.log(`never happened: ${mark}`)
  console.log(JSON.stringify({ ...totals, seeds_per_minute: perMinute, marks_missing: missing.length }))
  return totals.violations + totals.nondeterministic + missing.length === 0 ? 0 : 1
}

async function showFailures(seeds: readonly number[]): Promise<void> {
  const worker = new Worker()
  for (const seed of seeds.slice(0, MAX_FAILURES_SHOWN)) show(await worker.do({ seed, shrink: true }))
  worker.stop()
  if (seeds.length > MAX_FAILURES_SHOWN) console.log(`also failed: ${seeds.slice(MAX_FAILURES_SHOWN).join(', ')}`)
}

function show({ seed, keep, faults, violations, lastLines }: Outcome): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  console.log(`\n=== seed ${seed} at commit ${commit}; the smallest plan that fails has ${faults.length} faults:`)
  for (const fault of faults) console.log(`  ${fault}`)
  console.log(`the last events:`)
  for (const line of lastLines.slice(-LINES_SHOWN)) console.log(`  ${line.slice(0, 300)}`)
  for (const { rule, what } of violations.slice(0, 20)) console.log(`VIOLATION ${rule}: ${what}`)
  console.log(`again: npm run simulation -- --seed ${seed} --keep '${keep.join()}' --trace\n`)
}
