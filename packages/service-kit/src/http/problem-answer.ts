import type { Log } from '../logging/logger.ts'
import { toProblem } from './problem.ts'

/** An error as HTTP: status, headers and the problem's text. */
export interface ProblemAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Turns an error into the answer for the caller, with the request id. Statuses from 500 are logged with their cause. */
export function problemAnswer(error: unknown, requestId: unknown, log: Log): ProblemAnswer {
  const { retryAfterSeconds, ...problem } = toProblem(error)
  if (problem.status >= 500) log[problem.status === 500 ? 'error' : 'warn']('request failed', { code: problem.code, error })
  return {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...(problem.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
    text: JSON.stringify({ ...problem, request_id: requestId }),
  }
}
