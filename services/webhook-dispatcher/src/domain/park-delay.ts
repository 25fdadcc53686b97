/**
 * How long a message stays aside whose endpoint cannot be tried now: one of the levels, each of which is a queue.
 *
 * It is never less than what is known of the wait (`waitMs`), as far as there are levels. Beyond that it is a back-off with
 * full jitter: by chance from the shortest level up to one that grows with how often the message was aside already (after
 * 1, 3, 7, 15, … times). So what waits for a busy endpoint comes back spread out rather than all at once, and what has
 * waited for long costs little.
 *
 * @param levelsMs ascending, at least one
 * @param parked how often it was aside before
 * @param random 0 to 1, by chance
 */
export function parkDelayMs(levelsMs: readonly number[], parked: number, waitMs: number, random: number): number {
  const last = levelsMs.length - 1
  const grown = Math.min(Math.floor(Math.log2(parked + 1)), last)
  const byChance = Math.min(Math.floor(random * (grown + 1)), grown)
  const longEnough = levelsMs.findIndex((levelMs) => levelMs >= waitMs)
  const delayMs = levelsMs[Math.max(byChance, longEnough < 0 ? last : longEnough)]
  if (delayMs === undefined) throw new RangeError('there must be a level to wait at')
  return delayMs
}

/**
 * The level nearest to a silence, as a ratio. An endpoint that has answered nothing for so long is as likely to go on as to answer:
 * the next longer level would leave the places of one that answers within three seconds empty for seven, and the next shorter one
 * would have all that waits for one that hangs come back again and again.
 *
 * @param levelsMs ascending, at least one
 */
export function nearestLevelMs(levelsMs: readonly [number, ...number[]], silentMs: number): number {
  const [shortestMs] = levelsMs
  // Between two levels the border is their geometric mean.
  return levelsMs.findLast((levelMs, index) => silentMs ** 2 >= levelMs * (levelsMs[index - 1] ?? Infinity)) ?? shortestMs
}
