/** The delays of the delay queue, in milliseconds and ascending. Each is a queue on the broker. */
export type DelayLevels = readonly [number, ...number[]]

/**
 * How long a denied attempt is delayed: one of the levels, at least `minDelayMs` as far as there are levels. Above that, a
 * back-off with full jitter: random, from the shortest level up to one that grows with `timesDelayed` (1, 3, 7, 15, …).
 *
 * Attempts that wait for a busy endpoint so come back spread out, and old ones cost little.
 *
 * @param timesDelayed how often the attempt was delayed before
 * @param random a random number from 0 to 1
 */
export function delayMsFor(levelsMs: readonly number[], timesDelayed: number, minDelayMs: number, random: number): number {
  const last = levelsMs.length - 1
  const highest = Math.min(Math.floor(Math.log2(timesDelayed + 1)), last)
  const atRandom = Math.min(Math.floor(random * (highest + 1)), highest)
  const longEnough = levelsMs.findIndex((levelMs) => levelMs >= minDelayMs)
  const delayMs = levelsMs[Math.max(atRandom, longEnough < 0 ? last : longEnough)]
  if (delayMs === undefined) throw new RangeError('there must be at least one delay')
  return delayMs
}

/**
 * The level nearest to `silentMs`, as a ratio: an endpoint that has been silent for a time will likely be silent for about as
 * long again. The next longer level would leave free slots unused, the next shorter one would move messages around for nothing.
 */
export function nearestLevelMs(levelsMs: DelayLevels, silentMs: number): number {
  const [shortestMs] = levelsMs
  // The border between two levels is their geometric mean.
  return levelsMs.findLast((levelMs, index) => silentMs ** 2 >= levelMs * (levelsMs[index - 1] ?? Infinity)) ?? shortestMs
}
