/** The waits between the attempts of one delivery, in milliseconds (design, section 6). */
export type RetrySchedule = readonly number[]

/**
 * How long to wait after the failed attempt number `attempt` (from 1), in milliseconds; `undefined` when it was the last.
 * With n delays there are n + 1 attempts, whatever the merchant asks for.
 *
 * Should the merchant ask for more (`retryAfterMs`), the wait is rounded up to the next level of the schedule: each level
 * is a queue, so there are no waits in between. It is never shorter than the level that is due, so that nobody is asked to
 * hammer, and never longer than the longest level, so that nobody can put a delivery off for ever.
 */
export function nextDelayMs(schedule: RetrySchedule, attempt: number, retryAfterMs = 0): number | undefined {
  const dueMs = schedule[attempt - 1]
  if (dueMs === undefined || retryAfterMs <= dueMs) return dueMs
  const longEnough = schedule.filter((levelMs) => levelMs >= retryAfterMs)
  return longEnough.length > 0 ? Math.min(...longEnough) : Math.max(...schedule)
}
