/** How long attempts can be parked, in milliseconds and ascending. Each level is a queue on the broker. */
export type ParkLevels = readonly [number, ...number[]]

/**
 * How long a denied attempt is parked: one of the levels, at least `minParkMs` as far as there are levels. Above that, a
 * back-off with full jitter: random, from the shortest level up to one that grows with `timesParked` (1, 3, 7, 15, …).
 *
 * Attempts for a busy endpoint so come back spread out, and old ones cost little.
 *
 * @param timesParked how often the attempt was parked before
 * @param random a random number from 0 to 1
 */
export function parkMsFor(levelsMs: readonly number[], timesParked: number, minParkMs: number, random: number): number {
  const last = levelsMs.length - 1
  const highest = Math.min(Math.floor(Math.log2(timesParked + 1)), last)
  const atRandom = Math.min(Math.floor(random * (highest + 1)), highest)
  const longEnough = levelsMs.findIndex((levelMs) => levelMs >= minParkMs)
  const parkMs = levelsMs[Math.max(atRandom, longEnough < 0 ? last : longEnough)]
  if (parkMs === undefined) throw new RangeError('there must be at least one level')
  return parkMs
}

/**
 * The level nearest to `silentMs`, as a ratio: an endpoint that has been silent for a time will likely be silent for about as
 * long again. The next longer level would leave free slots unused, the next shorter one would move messages around for nothing.
 */
export function nearestLevelMs(levelsMs: ParkLevels, silentMs: number): number {
  const [shortestMs] = levelsMs
  // The border between two levels is their geometric mean.
  return levelsMs.findLast((levelMs, index) => silentMs ** 2 >= levelMs * (levelsMs[index - 1] ?? Infinity)) ?? shortestMs
}
