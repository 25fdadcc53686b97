import { rounded } from '@gateway-tools/load/figures'
import { mean, median, sum } from '@gateway-tools/load/statistics'
import type { Drained } from './drain.ts'
import type { Steady } from './paced.ts'

type Runs<Name extends string, T> = Readonly<Record<Name, readonly T[]>>

/**
 * The figures of all runs: of drained queues the median counts. `recorded` is the limit with a record of every delivery, `calm` are
 * the runs before, between and after those with hanging endpoints.
 */
export function report(
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
    half_load_per_second: rate,
    ...{ half_load_p50_ms: medianOf(calm, 'p50'), half_load_p99_ms: medianOf(calm, 'p99') },
    half_load_second_p99_ms: rounded(usualP99(calm)),
    ...{ hang_p50_ms: medianOf(hanging, 'p50'), hang_p99_ms: medianOf(hanging, 'p99') },
    hang_second_p99_ms: rounded(usualP99(hanging)),
    ...{ memory_start_mb: memory?.start, memory_middle_mb: memory?.middle, memory_end_mb: memory?.end },
    hang_memory_end_mb: Math.max(...hanging.map((run) => run.memory.end)),
  }
}
