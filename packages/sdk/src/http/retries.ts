import { ApiError, type ConnectionError, type TimeoutError } from '../errors.ts'

/** A failed try that may be repeated. */
export type Failure = ApiError | ConnectionError | TimeoutError

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 4000

/**
 * How long to wait before the next try, in milliseconds; `undefined` when there is none. Repeatable operations are retried after
 * connection errors, 429 and 5xx, others only after 429, which says that nothing happened.
 *
 * @param retry the number of retries so far
 * @param random from 0 to just below 1: spreads the retries of many clients
 */
export function retryDelayMs(failure: Failure, isRepeatable: boolean, retry: number, random: number): number | undefined {
  if (!mayRetry(failure, isRepeatable)) return undefined
  const longestMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** retry)
  const backOffMs = longestMs * (0.5 + random / 2)
  return Math.max(backOffMs, failure instanceof ApiError ? (failure.retryAfterMs ?? 0) : 0)
}

function mayRetry(failure: Failure, isRepeatable: boolean): boolean {
  if (!(failure instanceof ApiError)) return isRepeatable
  return failure.status === 429 || (isRepeatable && failure.status >= 500)
}

/** `Retry-After` (RFC 9110, section 10.2.3) in milliseconds: seconds, or a date. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/u.test(value)) return Number(value) * 1000
  // A date has a colon; `Date.parse` would also read -1 as a year.
  const atMs = value.includes(':') ? Date.parse(value) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}
