import { cpuBetween, readCpu } from './cpu.ts'
import type { Bench } from './stack.ts'
import { mean, summarize } from './statistics.ts'

export interface SearchResult {
  readonly concurrency: number
  readonly searchesPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly refused: Readonly<Record<string, number>>
  readonly limitPerSecond: number
  readonly cpuMsPerSearch: Readonly<Record<string, number>>
  readonly ratio: number
}

/** Searches for orders made before, at random, beside plain `findOne` by `_id`. */
export async function benchSearch(bench: Bench, concurrency: number, durationMs: number): Promise<SearchResult> {
  const limitMs = durationMs / 3
  // Its client's code, too, is compiled only after some thousand calls.
  await findOne(bench, concurrency, limitMs)
  const before = await findOne(bench, concurrency, limitMs)
  const cpu = readCpu(bench.groups)
  const { latenciesMs, refused, tookMs } = await bench.load.call({ kind: 'search', concurrency, durationMs })
  const used = cpuBetween(cpu, readCpu(bench.groups))
  const limitPerSecond = mean([before, await findOne(bench, concurrency, limitMs)])

  const { count, p50, p99 } = summarize(latenciesMs)
  const searchesPerSecond = (count * 1000) / tookMs
  return {
    concurrency,
    searchesPerSecond,
    p50Ms: p50,
    p99Ms: p99,
    refused,
    limitPerSecond,
    cpuMsPerSearch: Object.fromEntries(Object.entries(used).map(([name, ms]) => [name, ms / count])),
    ratio: searchesPerSecond / limitPerSecond,
  }
}

async function findOne({ limit }: Bench, concurrency: number, durationMs: number): Promise<number> {
  const { latenciesMs, tookMs } = await limit.call({ kind: 'findOne', concurrency, durationMs })
  return (latenciesMs.length * 1000) / tookMs
}
