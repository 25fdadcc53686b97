import type { Arrivals } from './receiver.ts'

/** The value below which `share` of them lie (nearest rank); `NaN` of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export interface Tally {
  /** Expected and never acknowledged. */
  readonly lost: number
  /** Acknowledged more than once, each repeat counted. */
  readonly duplicates: number
}

/** Counts by `webhook-id` what became of the expected ones. */
export function tally(expected: Iterable<string>, { ids }: Arrivals): Tally {
  const unique = new Set(ids)
  let lost = 0
  for (const id of expected) if (!unique.has(id)) lost += 1
  return { lost, duplicates: ids.length - unique.size }
}

/** Acknowledged per second, from the first to the last; repeats are not counted. */
export function rateOf({ ids, at }: Arrivals): number {
  const seen = new Set<string>()
  const firstAt: number[] = []
  ids.forEach((id, index) => {
    const instant = at[index]
    if (seen.has(id) || instant === undefined) return
    seen.add(id)
    firstAt.push(instant)
  })
  const elapsedMs = (firstAt.at(-1) ?? NaN) - (firstAt[0] ?? NaN)
  return ((firstAt.length - 1) * 1000) / elapsedMs
}
