/**
 * `npm run bench:webhooks [-- --quick] [-- --profile <folder>] [-- --beside <checkout>]`: how fast the dispatcher delivers, beside
 * what its parts can do, and what hanging endpoints do to the others. Its last line is one JSON object; README.md says how to read it.
 */
import { parseArgs } from 'node:util'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import { runCommand, type Command } from '@gateway-infra/system/command'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { describeMachine } from '@gateway-tools/load/machine'
import { mean, median, rounded, sum } from '@gateway-tools/load/statistics'
import { drainWithDispatcher, drainWithLimit, type Drained } from './drain.ts'
import { runSteady, WARM_UP_SECONDS, type Steady } from './paced.ts'
import { withWorld, type World } from './world.ts'

const OPTIONS = { quick: { type: 'boolean' }, profile: { type: 'string' }, beside: { type: 'string' } } as const
const WHOLE = { events: 10_000, rounds: 3, seconds: 30 }
const QUICK = { events: 4_000, rounds: 3, seconds: 10 }
/** Runs with hanging endpoints. Before each of them, and after the last, one without. */
const HANGING_RUNS = 2
const ENDPOINTS = 100
const HANGING = Array.from({ length: ENDPOINTS / 10 }, (_, index) => index * 10)

/** Database and broker; `enginePids` are their processes if this machine runs them, for their CPU. */
interface Engines {
  readonly mongoUrl: string
  readonly amqpUrl: string
  readonly enginePids?: readonly number[]
}

interface BenchOptions {
  readonly quick: boolean
  /** A folder for a CPU profile of every dispatcher. */
  readonly profile?: string | undefined
  /** Another checkout, whose dispatcher drains in turns with this one's. */
  readonly beside?: string | undefined
}

/** Prints each run; resolves to the figures. */
export function benchWebhooks({ mongoUrl, amqpUrl, enginePids = [] }: Engines, { quick, profile, beside }: BenchOptions) {
  const nodeArgs = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const options = { mongoUrl, amqpUrl, enginePids, endpoints: ENDPOINTS, nodeArgs }
  return withWorld(options, (world) => measure(world, quick ? QUICK : WHOLE, beside))
}

async function measure(world: World, { events, rounds, seconds }: typeof WHOLE, beside: string | undefined) {
  let next = 0
  /** The number of the first of so many new events. */
  const take = (count: number): number => (next += count) - count
  const [limits, recorded, drains, besides]: [Drained[], Drained[], Drained[], Drained[]] = [[], [], [], []]
  for (let round = 1; round <= rounds; round++) {
    // In turns, so that all of them meet the same machine.
    const queued = () => ({ first: take(events), count: events })
    limits.push(await drainWithLimit(world, queued(), { records: false }))
    recorded.push(await drainWithLimit(world, queued(), { records: true }))
    drains.push(await drainWithDispatcher(world, queued()))
    if (beside !== undefined) besides.push(await drainWithDispatcher(world, queued(), beside))
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
  return { ...report(rate, { limits, recorded, drains }, { calm, hanging }), ...(beside !== undefined && reportBeside(besides)) }
}

type Runs<Name extends string, T> = Readonly<Record<Name, readonly T[]>>

/**
 * The figures of all runs: of drained queues the median counts. `recorded` is the limit with a record of every delivery, `calm` are
 * the runs before, between and after those with hanging endpoints.
 */
function report(
  rate: number,
  { limits, recorded, drains }: Runs<'limits' | 'recorded' | 'drains', Drained>,
  { calm, hanging }: Runs<'calm' | 'hanging', Steady>,
) {
  const [limit = NaN, withRecord = NaN, dispatch = NaN] = [limits, recorded, drains].map((all) =>
    median(all.map((drained) => drained.rate)),
  )
  const cpuMs = (all: readonly Drained[]) => rounded(median(all.map((drained) => drained.cpuMs)))
  const medianOf = (all: readonly Steady[], of: 'p50' | 'p99') => rounded(median(all.map((run) => run[of])))
  const throughput = (all: readonly Steady[]) => mean(all.map((run) => run.rate))
  const usualP99 = (all: readonly Steady[]) => median(all.flatMap(({ p99BySecond }) => p99BySecond))
  const memory = calm[0]?.memory
  const runs = [...drains, ...calm, ...hanging]
  return {
    dispatch_ratio: rounded(dispatch / limit),
    dispatch_record_ratio: rounded(withRecord / limit),
    hang_throughput_ratio: rounded(throughput(hanging) / throughput(calm)),
    hang_p99_ratio: rounded(usualP99(hanging) / usualP99(calm)),
    lost: sum(runs.map(({ lost }) => lost)),
    duplicates: sum(runs.map(({ duplicates }) => duplicates)),
    ...{ limit_per_second: rounded(limit), record_per_second: rounded(withRecord), dispatch_per_second: rounded(dispatch) },
    ...{ limit_cpu_ms: cpuMs(limits), record_cpu_ms: cpuMs(recorded), dispatch_cpu_ms: cpuMs(drains) },
    dispatch_engines_cpu_ms: rounded(median(drains.map(({ enginesCpuMs }) => enginesCpuMs))),
    half_load_per_second: rate,
    ...{ half_load_p50_ms: medianOf(calm, 'p50'), half_load_p99_ms: medianOf(calm, 'p99') },
    half_load_second_p99_ms: rounded(usualP99(calm)),
    ...{ hang_p50_ms: medianOf(hanging, 'p50'), hang_p99_ms: medianOf(hanging, 'p99') },
    hang_second_p99_ms: rounded(usualP99(hanging)),
    ...{ memory_start_mb: memory?.start, memory_middle_mb: memory?.middle, memory_end_mb: memory?.end },
    hang_memory_end_mb: Math.max(...hanging.map((run) => run.memory.end)),
  }
}

/** Of the other checkout's dispatcher, the medians. */
function reportBeside(besides: readonly Drained[]) {
  return {
    beside_per_second: rounded(median(besides.map(({ rate }) => rate))),
    beside_cpu_ms: rounded(median(besides.map(({ cpuMs }) => cpuMs))),
  }
}

const command: Command = (context, args) => {
  const { quick = false, profile, beside } = parseArgs({ args: [...args], options: OPTIONS }).values
  return withTemporaryBacking(context, async (backing, stateDir) => {
    const enginePids = openProcessBook(stateDir, 'backing')
      .running()
      .map(({ pid }) => pid)
    const figures = await benchWebhooks({ ...backing, enginePids }, { quick, profile, beside })
    console.log(JSON.stringify({ ...figures, ...(await describeMachine(backing.mongoUrl, backing.amqpUrl)) }))
    return figures.lost === 0 ? 0 : 1
  })
}

if (import.meta.main) await runCommand(command)
