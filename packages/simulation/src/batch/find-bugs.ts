import { BUGS, findBug } from '../bugs/bugs.ts'
import type { Job, Outcome } from './work.ts'
import { doAll, Worker } from './pool.ts'

/** A bug that is not found by then is not found. */
const SEEDS = 300

/** Plants bugs, one at a time, and looks for the first seed that finds each. The last line is JSON. Returns the exit code. */
export async function findBugs(bugs: readonly number[] | 'all', jobs: number): Promise<number> {
  const planted = bugs === 'all' ? BUGS : bugs.map(findBug)
  const seedsToFind: Record<string, number> = {}
  const clean = new Worker()
  for (const { number, title } of planted) {
    let failure = await firstFailure(number, 1, jobs)
    // A seed that fails without the bug, too, shows nothing.
    while (failure && (await clean.do({ seed: failure.seed })).violations.length > 0) {
      console.log(`seed ${failure.seed} fails without a planted bug, too`)
      failure = await firstFailure(number, failure.seed + 1, jobs)
    }
    if (failure) seedsToFind[number] = failure.seed
    console.log(`${number} ${title}: ${failure ? `found by seed ${failure.seed} (${failure.by.slice(0, 200)})` : 'NOT FOUND'}`)
  }
  clean.stop()
  const found = Object.keys(seedsToFind).length
  console.log(JSON.stringify({ planted: planted.length, found, seeds_to_find: seedsToFind }))
  return found === planted.length ? 0 : 1
}

/** The first seed that fails, by its first broken rule. */
async function firstFailure(
  bug: number,
  from: number,
  jobs: number,
): Promise<{ readonly seed: number; readonly by: string } | undefined> {
  const failures: { seed: number; by: string }[] = []
  function* plan(): Generator<Job> {
    for (let seed = from; seed <= SEEDS && failures.length === 0; seed++) yield { seed }
  }
  const onOutcome = ({ seed, violations: [first] }: Outcome): void => {
    if (first) failures.push({ seed, by: `${first.rule}: ${first.what}` })
  }
  await doAll(jobs, plan(), onOutcome, bug)
  return failures.toSorted((one, other) => one.seed - other.seed)[0]
}
