const FIRST_MS = 1000
const LONGEST_MS = 5000
const GROWTH = 1.5

/**
 * How long to wait before the next poll: 1 s, growing to 5 s.
 *
 * @param random from 0 to just below 1: spreads the polls of many callers by a fifth
 */
export function pollDelayMs(poll: number, random: number): number {
  const delayMs = Math.min(LONGEST_MS, FIRST_MS * GROWTH ** poll)
  return Math.min(LONGEST_MS, Math.max(FIRST_MS, delayMs * (0.9 + random / 5)))
}
