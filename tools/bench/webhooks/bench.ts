import { median } from '@gateway-tools/load/statistics'
import { drainWithDispatcher, drainWithLimit, type Drained } from './drain.ts'
import { runSteady, WARM_UP_SECONDS, type Steady } from './paced.ts'
import { report } from './report.ts'
import { withWorld, type World } from './world.ts'

const WHOLE = { events: 10_000, rounds: 3, seconds: 30 }
const QUICK = { events: 4_000, rounds: 3, seconds: 10 }
/** Runs with hanging endpoints. Before each of them, and after the last, one without. */
const HANGING_RUNS = 2
const ENDPOINTS = 100
const HANGING = Array.from({ length: ENDPOINTS / 10 }, (_, index) => index * 10)

/** Prints each run; resolves to the figures. `profile` is a folder for a CPU profile of every dispatcher. */
export function benchWebhooks(
  { mongoUrl, amqpUrl }: { readonly mongoUrl: string; readonly amqpUrl: string },
  { quick, profile }: { readonly quick: boolean; readonly profile?: string | undefined },
) {
  const nodeArgs = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  return withWorld({ mongoUrl, amqpUrl, endpoints: ENDPOINTS, nodeArgs }, (world) => measure(world, quick ? QUICK : WHOLE))
}

async function measure(world: World, { events, rounds, seconds }: typeof WHOLE) {
  let next = 0
  /** The number of the first of so many new events. */
  const take = (count: number): number => (next += count) - count
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
    const run = await runSteady(world, { first, rate, seconds, hanging }, (endpoint) => !HANGING.includes(endpoint))
    console.error(`${hanging.length} of ${ENDPOINTS} endpoints hung:`, run)
    return run
  }
  console.error(`steady: ${rate}/s for ${seconds} s`)
  // In turns, so that a machine that grows busier or quieter favours neither side.
  const [calm, hanging] = [[await steady([])], new Array<Steady>()]
  for (let round = 1; round <= HANGING_RUNS; round++) {
    hanging.push(await steady(HANGING))
    calm.push(await steady([]))
  }
  return report(rate, { limits, recorded, drains }, { calm, hanging })
}
