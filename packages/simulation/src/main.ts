/**
 * `npm run simulation -- --seeds N [--from S] [--jobs 2] [--minutes M]`, `-- --seed S [--keep 0,3] [--trace]`, `-- --bugs all`:
 * the real services with virtual time, on models of their database, broker and network (docs/simulation.md).
 */
import { parseArgs } from 'node:util'
import { findBugs } from './batch/find-bugs.ts'
import { runBatch } from './batch/run-batch.ts'
import { runOne } from './batch/run-one.ts'

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

if (bugs !== undefined) process.exit(await findBugs({ bugs: bugs === 'all' ? 'all' : numbersOf(bugs), jobs }))
if (seed !== undefined)
  process.exit(await runOne({ seed: Number(seed), trace, ...(keep !== undefined && { keep: numbersOf(keep) }) }))
const minutes = values.minutes === undefined ? Infinity : Number(values.minutes)
const seeds = values.seeds === undefined ? (minutes === Infinity ? 100 : Infinity) : Number(values.seeds)
process.exit(await runBatch({ seeds, from: Number(values.from), jobs, minutes }))
