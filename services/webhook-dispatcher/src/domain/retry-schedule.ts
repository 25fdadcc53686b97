/** The waits between the attempts of one delivery, in milliseconds (design, section 6). */
export type RetrySchedule = readonly number[]

/**
 * How long to wait after the failed attempt number `attempt` (from 1), in milliseconds; `undefined` when it was the last.
 * With n delays there are n + 1 attempts.
 */
export function nextDelayMs(schedule: RetrySchedule, attempt: number): number | undefined {
  return schedule[attempt - 1]
}
