/** Of a measured run, in the unit of its values; NaN where nothing was measured. */
export function summarize(values: readonly number[]) {
  const [p50 = NaN, p99 = NaN, max = NaN] = [0.5, 0.99, 1].map((share) => percentile(values, share))
  return { count: values.length, p50, p99, max }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** A webhook that was acknowledged: its event id, and when, in milliseconds since 1970 with fractions. */
export type Arrival = readonly [eventId: string, atMs: number]

/** When each event arrived first. */
export function firstArrivals(arrivals: readonly Arrival[]): Map<string, number> {
  return new Map(arrivals.toReversed())
}

/** `lost`: expected events that never arrived; `duplicates`: arrivals of events that had arrived before. */
export function tally(expectedIds: Iterable<string>, arrivals: readonly Arrival[]) {
  const unique = new Set(arrivals.map(([id]) => id))
  const lost = [...expectedIds].filter((id) => !unique.has(id)).length
  return { lost, duplicates: arrivals.length - unique.size }
}

/** Events per second, from the first arrival to the last; duplicates do not count. */
export function arrivalsPerSecond(arrivals: readonly Arrival[]): number {
  const times = [...firstArrivals(arrivals).values()].toSorted((one, other) => one - other)
  const elapsedMs = (times.at(-1) ?? NaN) - (times[0] ?? NaN)
  return ((times.length - 1) * 1000) / elapsedMs
}

/** Three figures: a measurement cannot say more. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

const ROUNDS = 5

/**
 * Measures without something and beside it, by turns, so that a machine that grows busier favours neither side. `ratio` is the
 * median beside it ÷ the median without. `begin` resolves to the function that ends it.
 */
export async function byTurns(measure: () => Promise<number>, begin: () => Promise<() => unknown>) {
  const [without, beside]: [number[], number[]] = [[], []]
  for (let round = 1; round <= ROUNDS; round++) {
    without.push(await measure())
    const end = await begin()
    beside.push(await measure())
    await end()
  }
  return { ratio: median(beside) / median(without), without, beside }
}
