/** The delays between the attempts of one delivery, in milliseconds (design, section 6). */
export type RetrySchedule = readonly number[]

/**
 * How long to wait after the failed attempt number `attempt` (from 1), in milliseconds; `undefined` when it was the last.
 * With n delays there are n + 1 attempts, also when the merchant sends `Retry-After`.
 *
 * A longer `retryAfterMs` is rounded up to the next delay of the schedule, since each delay is a queue. The result is never
 * shorter than the delay that is due and never longer than the longest one.
 */
export function nextDelayMs(schedule: RetrySchedule, attempt: number, retryAfterMs = 0): number | undefined {
  const dueMs = schedule[attempt - 1]
  if (dueMs === undefined || retryAfterMs <= dueMs) return dueMs
  const longEnough = schedule.filter((levelMs) => levelMs >= retryAfterMs)
  return longEnough.length > 0 ? Math.min(...longEnough) : Math.max(...schedule)
}
