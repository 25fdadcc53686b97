/** Of a measured run, in the unit of its values. */
export interface Summary {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((one, other) => one - other)
  return { count: sorted.length, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: sorted.at(-1) ?? NaN }
}

/** The smallest value that at least the share `p` of all is not above (nearest rank); NaN of nothing. */
export function percentile(sorted: readonly number[], p: number): number {
  return sorted[Math.max(Math.ceil(sorted.length * p) - 1, 0)] ?? NaN
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
