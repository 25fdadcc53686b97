/**
 * `npm run bench:webhooks [-- --quick] [-- --profile <folder>]`: how fast the dispatcher delivers, beside what its parts can
 * do, and what hanging endpoints do to the others. Its last line is one JSON object; README.md says how to read it.
 */
import { parseArgs } from 'node:util'
import { drainWithDispatcher, drainWithLimit, type Drained } from './drain.ts'
import { describeMachine } from './machine.ts'
import { runPaced } from './paced.ts'
import { printReport } from './report.ts'
import { median } from './statistics.ts'
import { createWorld, type World } from './world.ts'

interface Plan {
  readonly events: number
  readonly rounds: number
  readonly pacedSeconds: number
}

const WHOLE: Plan = { events: 10_000, rounds: 3, pacedSeconds: 60 }
const QUICK: Plan = { events: 4_000, rounds: 1, pacedSeconds: 10 }
const ENDPOINTS = 100
const HANGING = Array.from({ length: ENDPOINTS / 10 }, (_, index) => index * 10)

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, profile: { type: 'string' }, only: { type: 'string' } },
})
const plan = values.quick === true ? QUICK : WHOLE
const nodeArgs = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const world = await createWorld({ endpoints: ENDPOINTS, nodeArgs })
try {
  process.exitCode = await run(world)
} finally {
  await world.remove()
}

async function run(world: World): Promise<number> {
  let next = 0
  const take = (count: number): number => (next += count) - count

  const limits: Drained[] = []
  const recorded: Drained[] = []
  const drains: Drained[] = []
  for (let round = 1; round <= plan.rounds; round++) {
    // In turns, so that whatever else the machine does meets both.
    const queued = () => ({ first: take(plan.events), count: plan.events })
    limits.push(await drainWithLimit(world, queued(), { records: false }))
    recorded.push(await drainWithLimit(world, queued(), { records: true }))
    drains.push(await drainWithDispatcher(world, queued()))
    const [limit, withRecord, dispatcher] = [limits, recorded, drains].map((all) => all.at(-1)?.rate.toFixed(0))
    console.error(`round ${round}: limit ${limit}/s, the same with records ${withRecord}/s, dispatcher ${dispatcher}/s`)
  }
  const rate = Math.round(median(drains.map((drained) => drained.rate)) / 2)
  const isHealthy = (endpoint: number): boolean => !HANGING.includes(endpoint)
  const paced = async (hanging: readonly number[]) => {
    const first = take(rate * (plan.pacedSeconds + 5))
    return runPaced(world, { first, rate, seconds: plan.pacedSeconds, hanging }, isHealthy)
  }
  console.error(`paced: ${rate}/s for ${plan.pacedSeconds} s`)
  const calm = await paced([])
  console.error(`paced: the same with ${HANGING.length} of ${ENDPOINTS} endpoints hanging`)
  const hanging = await paced(HANGING)
  // Before and after, so that a machine that grows busier or quieter does not speak for either side.
  const calmAgain = await paced([])
  return printReport({
    limits,
    recorded,
    drains,
    rate,
    seconds: plan.pacedSeconds,
    calm: [calm, calmAgain],
    hanging,
    machine: await describeMachine(world),
  })
}
