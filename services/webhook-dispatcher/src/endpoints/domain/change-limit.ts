/** How many changes a merchant may make to its endpoint: some at once, then one in each interval. */
export interface ChangeLimit {
  readonly burst: number
  readonly intervalMs: number
}

/**
 * How long the next change must wait, in milliseconds; 0 when it may be made now. A token bucket that is full at first, replayed
 * over the earlier changes, so that nothing else has to be stored.
 * @param changedAt of the earlier changes, ascending
 */
export function changeWaitMs(changedAt: readonly Date[], now: Date, { burst, intervalMs }: ChangeLimit): number {
  let tokens = burst
  let at = changedAt[0] ?? now
  for (const next of [...changedAt, now]) {
    // A clock that was ahead may have written a change that is still to come.
    const elapsedMs = Math.max(0, next.getTime() - at.getTime())
    tokens = Math.min(burst, tokens + elapsedMs / intervalMs)
    at = next
    if (next !== now) tokens = Math.max(0, tokens - 1)
  }
  return tokens >= 1 ? 0 : Math.ceil((1 - tokens) * intervalMs)
}
