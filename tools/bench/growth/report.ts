import { fixed, rounded, table } from '@gateway-tools/load/figures'
import { sum } from '@gateway-tools/load/statistics'
import type { GrowthRow, SizeFigures } from './growth.ts'
import type { MemoryResult } from './memory.ts'
import type { PlanRow, SizePlan } from './plans.ts'

export const LIMITS = { growthRatio: 1.2, memoryRatio: 1.2, memoryMaxMb: 200 } as const

const NAMES = { create: 'create', search: 'search, first', searchAgain: 'search, again', change: 'status change' } as const

/** Prints a table; returns the figures, as the functions below do. */
export function reportGrowth(rows: readonly GrowthRow[], stored: { readonly small: number; readonly large: number }) {
  const heads = ['p50', 'p99', 'database p50', 'calls']
  const size = ({ latencyMs: { p50, p99, count }, limitP50Ms }: SizeFigures): string[] => [
    ...[fixed(p50, 2), fixed(p99), fixed(limitP50Ms, 2), String(count)],
  ]
  print([
    [`ms with ${stored.small}, then ${stored.large} stored`, ...heads, ...heads, 'p50 ratio', '÷ ratio of the database'],
    ...rows.map(({ kind, concurrency, small, large, ratio, normalised }) => [
      ...[`${NAMES[kind]} @${concurrency}`, ...size(small), ...size(large), fixed(ratio, 3), fixed(normalised, 3)],
    ]),
  ])
  const all = rows.flatMap(({ small, large }) => [small, large])
  return {
    growth_ratio: rounded(Math.max(...rows.map(({ ratio }) => ratio))),
    growth_ratio_normalised: rounded(Math.max(...rows.map(({ normalised }) => normalised))),
    growth_ratios: Object.fromEntries(rows.map(({ kind, concurrency, ratio }) => [`${kind}@${concurrency}`, rounded(ratio)])),
    growth_refused: sum(all.map(({ refused }) => refused)),
    growth_missing: sum(all.map(({ missing }) => missing)),
  }
}

export function reportMemory({ payments, tookMs, refused, missing, processes }: MemoryResult) {
  const perSecond = fixed((payments * 1000) / tookMs, 0)
  console.log(`\n${payments} payments, ${perSecond}/s; refused ${refused}, events that never arrived ${missing}`)
  const tenths = Array.from({ length: 10 }, (_, index) => `${Math.round((payments * (index + 1)) / 10_000)}k`)
  print([
    ['MiB after', ...tenths, 'ratio', 'max', 'added per tenth in the second half'],
    ...processes.map(({ name, tenthsMb, ratio, maxMb, addedPerTenthMb }) => [
      ...[name, ...tenthsMb.map((mb) => fixed(mb, 0)), fixed(ratio, 2), fixed(maxMb, 0), fixed(addedPerTenthMb)],
    ]),
  ])
  return {
    memory_ratio: rounded(Math.max(...processes.map(({ ratio }) => ratio))),
    memory_max_mb: rounded(Math.max(...processes.map(({ maxMb }) => maxMb))),
    memory_payments: payments,
    memory_missing: missing,
  }
}

export function reportPlans(rows: readonly PlanRow[]) {
  const size = ({ usesIndex, indexes, p50Ms }: SizePlan): string[] => [
    ...[fixed(p50Ms), usesIndex ? indexes.join(', ') : 'READS EVERYTHING'],
  ]
  print([
    ['hot query', 'small, ms', 'by index', 'large, ms', 'by index'],
    ...rows.map(({ name, small, large }) => [name, ...size(small), ...size(large)]),
  ])
  const without = rows.filter(({ small, large }) => !small.usesIndex || !large.usesIndex)
  return { plans: rows.length, plans_without_index: without.map(({ name }) => name) }
}

function print(rows: readonly (readonly string[])[]): void {
  console.log(`\n${table(rows)}\n`)
}
