/**
 * `npm run bench:webhooks [-- --quick] [-- --profile <folder>]`: how fast the dispatcher delivers, beside what its parts can
 * do, and what hanging endpoints do to the others. Its last line is one JSON object; README.md says how to read it.
 */
import { parseArgs } from 'node:util'
import { endOnSignal } from '@gateway-tools/load/end-on-signal'
import { describeMachine } from '@gateway-tools/load/machine'
import { median } from '@gateway-tools/load/statistics'
import { drainWithDispatcher, drainWithLimit, type Drained } from './drain.ts'
import { runSteady, WARM_UP_SECONDS, type Steady } from './paced.ts'
import { printReport } from './report.ts'
import { createWorld } from './world.ts'

const WHOLE = { events: 10_000, rounds: 3, seconds: 30 }
const QUICK = { events: 4_000, rounds: 3, seconds: 10 }
/** Runs with hanging endpoints. Before each of them, and after the last, one without. */
const HANGING_RUNS = 2
const ENDPOINTS = 100
const HANGING = Array.from({ length: ENDPOINTS / 10 }, (_, index) => index * 10)

endOnSignal()
const { values } = parseArgs({ options: { quick: { type: 'boolean' }, profile: { type: 'string' } } })
const { events, rounds, seconds } = values.quick === true ? QUICK : WHOLE
const nodeArgs = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const world = await createWorld({ endpoints: ENDPOINTS, nodeArgs })
let next = 0
try {
  process.exitCode = await run()
} finally {
  await world.remove()
}

/** The number of the first of so many new events. */
function take(count: number): number {
  return (next += count) - count
}

async function run(): Promise<number> {
  const [limits, recorded, drains]: [Drained[], Drained[], Drained[]] = [[], [], []]
  for (let round = 1; round <= rounds; round++) {
    // In turns, so that all three meet the same machine.
    const queued = () => ({ first: take(events), count: events })
    limits.push(await drainWithLimit(world, queued(), { records: false }))
    recorded.push(await drainWithLimit(world, queued(), { records: true }))
    drains.push(await drainWithDispatcher(world, queued()))
    const [limit, withRecord, dispatcher] = [limits, recorded, drains].map((all) => all.at(-1)?.rate.toFixed(0))
    console.error(`round ${round}: limit ${limit}/s, the same with records ${withRecord}/s, dispatcher ${dispatcher}/s`)
  }
  const rate = Math.round(median(drains.map((drained) => drained.rate)) / 2)
  const steady = async (hanging: readonly number[]) => {
    const first = take(rate * (seconds + WARM_UP_SECONDS))
    return runSteady(world, { first, rate, seconds, hanging }, (endpoint) => !HANGING.includes(endpoint))
  }
  console.error(`steady: ${rate}/s for ${seconds} s`)
  // In turns, so that a machine that grows busier or quieter favours neither side.
  const [calm, hanging] = [[await steady([])], new Array<Steady>()]
  for (let round = 1; round <= HANGING_RUNS; round++) {
    console.error(`steady: the same with ${HANGING.length} of ${ENDPOINTS} endpoints hanging, and without`)
    hanging.push(await steady(HANGING))
    calm.push(await steady([]))
  }
  const machine = await describeMachine(world.config)
  return printReport({ limits, recorded, drains, rate, seconds, calm, hanging, machine })
}
