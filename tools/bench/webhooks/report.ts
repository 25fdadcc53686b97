import { mean, median, sum } from '@gateway-tools/load/statistics'
import type { Drained } from './drain.ts'
import type { Steady } from './paced.ts'

export interface Results {
  readonly limits: readonly Drained[]
  /** The limit with a record of every delivery. */
  readonly recorded: readonly Drained[]
  readonly drains: readonly Drained[]
  readonly rate: number
  readonly seconds: number
  /** Before, between and after the runs with hanging endpoints. */
  readonly calm: readonly Steady[]
  readonly hanging: readonly Steady[]
}

/** Prints a table; returns the figures. */
export function report({ limits, recorded, drains, rate, seconds, calm, hanging }: Results) {
  const [limit = NaN, withRecord = NaN, dispatch = NaN] = [limits, recorded, drains].map((all) =>
    median(all.map((drained) => drained.rate)),
  )
  const cpuMs = (all: readonly Drained[]) => round(median(all.map((drained) => drained.cpuMs)), 3)
  const medianOf = (all: readonly Steady[], of: 'p50' | 'p99') => round(median(all.map((run) => run[of])), 1)
  const throughput = (all: readonly Steady[]) => mean(all.map((run) => run.rate))
  const usualP99 = (all: readonly Steady[]) => median(all.flatMap(({ p99BySecond }) => p99BySecond))
  const memory = calm[0]?.memory
  const runs = [...drains, ...calm, ...hanging]
  const figures = {
    dispatch_ratio: round(dispatch / limit, 3),
    dispatch_record_ratio: round(withRecord / limit, 3),
    hang_throughput_ratio: round(throughput(hanging) / throughput(calm), 3),
    hang_p99_ratio: round(usualP99(hanging) / usualP99(calm), 3),
    lost: sum(runs.map(({ lost }) => lost)),
    duplicates: sum(runs.map(({ duplicates }) => duplicates)),
    ...{ limit_per_second: round(limit), record_per_second: round(withRecord), dispatch_per_second: round(dispatch) },
    ...{ limit_cpu_ms: cpuMs(limits), record_cpu_ms: cpuMs(recorded), dispatch_cpu_ms: cpuMs(drains) },
    half_load_per_second: rate,
    ...{ half_load_p50_ms: medianOf(calm, 'p50'), half_load_p99_ms: medianOf(calm, 'p99') },
    half_load_second_p99_ms: round(usualP99(calm), 1),
    ...{ hang_p50_ms: medianOf(hanging, 'p50'), hang_p99_ms: medianOf(hanging, 'p99') },
    hang_second_p99_ms: round(usualP99(hanging), 1),
    ...{ memory_start_mb: memory?.start, memory_middle_mb: memory?.middle, memory_end_mb: memory?.end },
    hang_memory_end_mb: Math.max(...hanging.map((run) => run.memory.end)),
  }
  const rates = (all: readonly Drained[]) => all.map((drained) => drained.rate.toFixed(0)).join(', ')
  console.log(`
Queue drained, deliveries per second (each run; the median counts)
  limit: consume, POST, ack    ${rates(limits)}
  the same, with records       ${rates(recorded)}
  dispatcher, one replica      ${rates(drains)}
  dispatch_ratio               ${figures.dispatch_ratio}  (at least 0.5); with records the parts reach ${figures.dispatch_record_ratio}
  CPU of a delivery            limit ${figures.limit_cpu_ms} ms, with records ${figures.record_cpu_ms}, dispatcher ${figures.dispatch_cpu_ms} ms, the start of either included

${rate}/s for ${seconds} s, from publish to acknowledgement, over the nine endpoints of ten that answer in both runs
${calm.map((run) => `  all endpoints answer         ${describe(run)}`).join('\n')}
${hanging.map((run) => `  one of ten never answers     ${describe(run)}`).join('\n')}
  hang_throughput_ratio        ${figures.hang_throughput_ratio}  (at least 0.9)
  hang_p99_ratio               ${figures.hang_p99_ratio}  (at most 1.5)

Lost ${figures.lost}, acknowledged more than once ${figures.duplicates}, of all events of these runs
`)
  return figures
}

function describe({ rate, p50, p99, max, memory, hung, p99BySecond }: Steady): string {
  const { start, middle, end } = memory
  const latency = `${rate.toFixed(0)}/s  p50 ${p50.toFixed(1)}  p99 ${p99.toFixed(1)}  max ${max.toFixed(0)} ms`
  const second = `p99 of a second ${median(p99BySecond).toFixed(1)}`
  return `${latency}  ${second}  memory ${start} → ${middle} → ${end} MiB${hung > 0 ? `  (${hung} requests hung)` : ''}`
}

function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits))
}
