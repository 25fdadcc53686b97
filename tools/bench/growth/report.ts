import { fixed, rounded, table } from '@gateway-tools/load/figures'
import { sum } from '@gateway-tools/load/statistics'
import type { GrowthRow, SizeFigures } from './growth.ts'
import type { MemoryResult } from './memory.ts'
import type { PlanRow, SizePlan } from './plans.ts'

export const LIMITS = { growthRatio: 1.2, memoryRatio: 1.2, memoryMaxMb: 200 } as const

const NAMES = { create: 'create', search: 'search, first', searchAgain: 'search, again', change: 'status change' } as const

export function describeGrowth(rows: readonly GrowthRow[], stored: { readonly small: number; readonly large: number }): string {
  const heads = ['p50', 'p99', 'database p50', 'calls']
  const size = ({ latencyMs, limitP50Ms }: SizeFigures): string[] => [
    fixed(latencyMs.p50, 2),
    fixed(latencyMs.p99),
    fixed(limitP50Ms, 2),
    String(latencyMs.count),
  ]
  return table([
    [`ms with ${stored.small}, then ${stored.large} stored`, ...heads, ...heads, 'p50 ratio', '÷ ratio of the database'],
    ...rows.map(({ kind, concurrency, small, large, ratio, normalised }) => [
      `${NAMES[kind]} @${concurrency}`,
      ...size(small),
      ...size(large),
      fixed(ratio, 3),
      fixed(normalised, 3),
    ]),
  ])
}

export function describeMemory({ payments, tookMs, refused, missing, processes }: MemoryResult): string {
  const tenths = Array.from({ length: 10 }, (_, index) => `${Math.round((payments * (index + 1)) / 10_000)}k`)
  const rows = processes.map(({ name, tenthsMb, ratio, maxMb, addedPerTenthMb }) => [
    name,
    ...tenthsMb.map((mb) => fixed(mb, 0)),
    fixed(ratio, 2),
    fixed(maxMb, 0),
    fixed(addedPerTenthMb),
  ])
  return [
    `${payments} payments in ${fixed(tookMs / 1000, 0)} s, ${fixed((payments * 1000) / tookMs, 0)}/s; refused ${refused}, events that never arrived ${missing}`,
    table([['MiB after', ...tenths, 'ratio', 'max', 'added per tenth in the second half'], ...rows]),
  ].join('\n')
}

export function describePlans(rows: readonly PlanRow[]): string {
  const size = ({ usesIndex, indexes, p50Ms }: SizePlan): string[] => [
    fixed(p50Ms),
    usesIndex ? indexes.join(', ') : 'READS EVERYTHING',
  ]
  return table([
    ['hot query', 'small, ms', 'by index', 'large, ms', 'by index'],
    ...rows.map(({ name, small, large }) => [name, ...size(small), ...size(large)]),
  ])
}

export function growthFigures(rows: readonly GrowthRow[]) {
  const all = rows.flatMap(({ small, large }) => [small, large])
  return {
    growth_ratio: rounded(Math.max(...rows.map(({ ratio }) => ratio))),
    growth_ratio_normalised: rounded(Math.max(...rows.map(({ normalised }) => normalised))),
    growth_ratios: Object.fromEntries(rows.map(({ kind, concurrency, ratio }) => [`${kind}@${concurrency}`, rounded(ratio)])),
    growth_refused: sum(all.map(({ refused }) => refused)),
    growth_missing: sum(all.map(({ missing }) => missing)),
  }
}

export function memoryFigures({ payments, missing, processes }: MemoryResult) {
  return {
    memory_ratio: rounded(Math.max(...processes.map(({ ratio }) => ratio))),
    memory_max_mb: rounded(Math.max(...processes.map(({ maxMb }) => maxMb))),
    memory_payments: payments,
    memory_missing: missing,
  }
}

export function planFigures(rows: readonly PlanRow[]) {
  return {
    plans: rows.length,
    plans_without_index: rows.filter(({ small, large }) => !small.usesIndex || !large.usesIndex).map(({ name }) => name),
  }
}
