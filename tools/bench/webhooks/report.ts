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
  /** Before the run with hanging endpoints, and after it. */
  readonly calm: readonly [Steady, Steady]
  readonly hanging: Steady
}

/** Prints a table; returns the figures. */
export function report({ limits, recorded, drains, rate, seconds, calm, hanging }: Results) {
  const [limit = NaN, withRecord = NaN, dispatch = NaN] = [limits, recorded, drains].map((all) =>
    median(all.map((drained) => drained.rate)),
  )
  const cpuMs = (all: readonly Drained[]) => round(median(all.map((drained) => drained.cpuMs)), 3)
  const calmMean = (of: 'rate' | 'p50' | 'p99') => mean(calm.map((run) => run[of]))
  const [{ memory }] = calm
  const runs = [...drains, ...calm, hanging]
  const figures = {
    dispatch_ratio: round(dispatch / limit, 3),
    dispatch_record_ratio: round(withRecord / limit, 3),
    hang_throughput_ratio: round(hanging.rate / calmMean('rate'), 3),
    hang_p99_ratio: round(hanging.p99 / calmMean('p99'), 3),
    lost: sum(runs.map(({ lost }) => lost)),
    duplicates: sum(runs.map(({ duplicates }) => duplicates)),
    ...{ limit_per_second: round(limit), record_per_second: round(withRecord), dispatch_per_second: round(dispatch) },
    ...{ limit_cpu_ms: cpuMs(limits), record_cpu_ms: cpuMs(recorded), dispatch_cpu_ms: cpuMs(drains) },
    half_load_per_second: rate,
    ...{ half_load_p50_ms: round(calmMean('p50'), 1), half_load_p99_ms: round(calmMean('p99'), 1) },
    ...{ hang_p50_ms: round(hanging.p50, 1), hang_p99_ms: round(hanging.p99, 1) },
    ...{ memory_start_mb: memory.start, memory_middle_mb: memory.middle, memory_end_mb: memory.end },
    hang_memory_end_mb: hanging.memory.end,
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
  all endpoints answer         ${describe(calm[0])}
  one of ten never answers     ${describe(hanging)}
  all endpoints answer         ${describe(calm[1])}
  hang_throughput_ratio        ${figures.hang_throughput_ratio}  (at least 0.9)
  hang_p99_ratio               ${figures.hang_p99_ratio}  (at most 1.5)

Lost ${figures.lost}, acknowledged more than once ${figures.duplicates}, of all events of these runs
`)
  return figures
}

function describe({ rate, p50, p99, max, memory, hung }: Steady): string {
  const { start, middle, end } = memory
  const latency = `${rate.toFixed(0)}/s  p50 ${p50.toFixed(1)}  p99 ${p99.toFixed(1)}  max ${max.toFixed(0)} ms`
  return `${latency}  memory ${start} → ${middle} → ${end} MiB${hung > 0 ? `  (${hung} requests hung)` : ''}`
}

function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits))
}
