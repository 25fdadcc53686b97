import { BUGS, findBug } from '../bugs/bugs.ts'
import type { Job } from './job.ts'
import { doAll, Worker } from './pool.ts'

/** A bug that is not found by then is not found. */
const SEEDS = 300

/** Plants bugs, one at a time, and looks for the first seed that finds each. The last line is JSON. Returns the exit code. */
export async function findBugs({
  bugs,
  jobs,
}: {
  readonly bugs: readonly number[] | 'all'
  readonly jobs: number
}): Promise<number> {
  const planted = bugs === 'all' ? BUGS : bugs.map(findBug)
  const seedsToFind: Record<string, number> = {}
  for (const { number, title } of planted) {
    const found: { seed: number; by: string }[] = []
    function* plan(): Generator<Job> {
      for (let seed = 1; seed <= SEEDS && found.length === 0; seed++) yield { seed }
    }
    await doAll(
      Array.from({ length: jobs }, () => new Worker(number)),
      plan(),
      ({ seed, violations }) => {
        const [first] = violations
        if (first) found.push({ seed, by: `${first.rule}: ${first.what}` })
      },
    )
    const [first] = found.toSorted((one, other) => one.seed - other.seed)
    if (first) seedsToFind[number] = first.seed
    console.log(`${number} ${title}: ${first ? `found by seed ${first.seed} (${first.by.slice(0, 200)})` : 'NOT FOUND'}`)
  }
  const found = Object.keys(seedsToFind).length
  console.log(JSON.stringify({ planted: planted.length, found, seeds_to_find: seedsToFind }))
  return found === planted.length ? 0 : 1
}
