/**
 * `npm run simulation -- --seeds N [--from S] [--jobs 2] [--minutes M]`, `-- --seed S [--keep 0,3] [--trace]`, `-- --bugs all`:
 * the real services with virtual time, on models of their database, broker and network (docs/simulation.md).
 */
import { parseArgs } from 'node:util'
import { findBugs } from './batch/find-bugs.ts'
import { runBatch } from './batch/run-batch.ts'
import { install } from './hooks/install.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    keep: { type: 'string' },
    trace: { type: 'boolean', default: false },
    bugs: { type: 'string' },
  },
})
const { bugs, seed, keep, trace } = values
const jobs = Number(values.jobs)
const numbersOf = (text: string): number[] => text.split(',').filter(Boolean).map(Number)

if (bugs !== undefined) process.exit(await findBugs(bugs === 'all' ? 'all' : numbersOf(bugs), jobs))
if (seed !== undefined)
  process.exit(await runOne({ seed: Number(seed), trace, ...(keep !== undefined && { keep: numbersOf(keep) }) }))
const minutes = values.minutes === undefined ? Infinity : Number(values.minutes)
const seeds = values.seeds === undefined ? (minutes === Infinity ? 100 : Infinity) : Number(values.seeds)
process.exit(await runBatch({ seeds, from: Number(values.from), jobs, minutes }))

/** Runs one seed in this process. Returns the exit code. */
async function runOne({ trace, ...job }: { seed: number; keep?: readonly number[]; trace: boolean }): Promise<number> {
  install()
  const { work } = await import('./batch/work.ts')
  const { violations, digest, payments, faults, virtualMs } = await work(job, trace ? (line) => console.log(line) : undefined)
  for (const fault of faults) console.log(`fault ${fault}`)
  for (const { rule, what } of violations) console.log(`VIOLATION ${rule}: ${what}`)
  console.log(
    JSON.stringify({
      seed: job.seed,
      digest,
      payments,
      violations: violations.length,
      virtual_seconds: Math.round(virtualMs / 1000),
    }),
  )
  return violations.length === 0 ? 0 : 1
}
